internal import CSessionCore

extension Storage {
  /// Revokes members' access to a group's swarm.
  public struct Revoke: Request {
    /// See ``GroupAdminKey/accessToken(of:)``.
    public let tokens: [[UInt8]]
    private let signer: Signer

    /// 1 to 50 tokens of 36 bytes.
    public init(_ tokens: [[UInt8]], as signer: Signer) {
      self.tokens = tokens
      self.signer = signer
    }

    public var call: Call<Outcome<Void>> {
      .tokens(SC_STORAGE_REVOKE, tokens, as: signer) { _ in }
    }
  }

  /// Restores members' access to a group's swarm.
  public struct Unrevoke: Request {
    public let tokens: [[UInt8]]
    private let signer: Signer

    /// 1 to 50 tokens of 36 bytes.
    public init(_ tokens: [[UInt8]], as signer: Signer) {
      self.tokens = tokens
      self.signer = signer
    }

    /// The number of tokens that each node had revoked.
    public var call: Call<Outcome<Int>> {
      .tokens(SC_STORAGE_UNREVOKE, tokens, as: signer) { Int(clamping: $0.count) }
    }
  }
}

extension Storage.Call {
  fileprivate static func tokens<Success>(
    _ method: sc_storage_method, _ tokens: [[UInt8]], as signer: Storage.Signer,
    _ success: @escaping @Sendable (sc_storage_member) -> Success
  ) -> Self where Reply == Storage.Outcome<Success> {
    Self(method, as: signer) { (request, loan, time) throws(SessionError) in
      guard tokens.allSatisfy({ $0.count == Int(SC_STORAGE_TOKEN_BYTES) }) else {
        throw SessionError(SC_ERR_STORAGE_PARAMETER)
      }
      request.of.tokens = sc_storage_tokens(
        list: loan.array(of: Array(tokens.joined())), count: tokens.count, signed_at: time)
    } success: { (member) throws(SessionError) in
      success(member)
    }
  }
}
