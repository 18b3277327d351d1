internal import CSessionCore

/// An account on one community server: the ids under which it signs requests and posts.
public struct CommunityIdentity: Sendable {
  /// The form of the ids. The server's capabilities decide which one applies.
  public enum Scheme: Int, Sendable, Codable, CaseIterable {
    /// Servers without blinding: requests name the Ed25519 key, messages the account id.
    case unblinded = 1
    case blinded15 = 2
    case blinded25 = 3
  }

  /// A request, as far as it is signed.
  public struct Request: Sendable {
    public static let nonceBytes = Int(SC_COMMUNITY_NONCE_BYTES)

    public let method: String
    /// Decoded, with `?` and the encoded query if there is one.
    public let path: String
    public let body: [UInt8]
    /// 16 random bytes. The server accepts them once.
    public let nonce: [UInt8]
    public let time: MessageTime
    /// The BLAKE2b hash of a body that came in pieces, and is not empty; it takes the place of `body`.
    private var bodyHash: [UInt8]?

    public init(_ method: String, _ path: String, body: [UInt8], nonce: [UInt8], at time: MessageTime) {
      self.method = method
      self.path = path
      self.body = body
      self.nonce = nonce
      self.time = time
    }

    /// A request with a body of which only the BLAKE2b hash of 64 bytes is known. Throws `argument` for a hash of
    /// another size.
    package init(
      _ method: String, _ path: String, bodyHash: [UInt8], nonce: [UInt8], at time: MessageTime
    ) throws(SessionError) {
      guard bodyHash.count == BLAKE2b.byteCount else { throw SessionError(SC_ERR_ARGUMENT) }
      self.init(method, path, body: [], nonce: nonce, at: time)
      self.bodyHash = bodyHash
    }
  }

  public let scheme: Scheme
  /// The id in requests.
  public let signer: SessionID
  /// The id that the server shows to others, as the author of messages.
  public let author: SessionID
  /// The server's public key, 32 bytes.
  public let server: [UInt8]

  private let account: Account
  private let blinded: BlindedIdentity?

  /// Throws `keySize` for a server's key that has not 32 bytes.
  public init(of account: Account, on server: [UInt8], scheme: Scheme) throws(SessionError) {
    guard server.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    let blinding: BlindedIdentity.Scheme? =
      switch scheme {
      case .unblinded: nil
      case .blinded15: .blinded15
      case .blinded25: .blinded25
      }
    if let blinding {
      let identity = try BlindedIdentity(of: account, on: server, scheme: blinding)
      (blinded, signer, author) = (identity, identity.id, identity.id)
    } else {
      blinded = nil
      signer = try SessionID(.unblinded, key: account.ed25519PublicKey)
      author = account.id
    }
    self.account = account
    self.scheme = scheme
    self.server = server
  }

  /// Signs a request: 64 bytes.
  public func sign(_ request: Request) throws(SessionError) -> [UInt8] {
    let text = try request.signedText(for: server)
    if let blinded { return try blinded.sign(text) }
    return try account.sign(text)
  }

  /// Signs the padded bytes of a message to a room: 64 bytes, which ``SessionID/verify(_:of:)`` of the author accepts.
  public func sign(post data: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    if let blinded { return try blinded.sign(data) }
    return try account.withKeys { (keys) throws(SessionError) in
      try Core.bytes(count: SC_SIGNATURE_BYTES, of: data) { signature, data in
        guard let secret = keys.pointer(to: \.x.secret) else { preconditionFailure("a pair has a secret") }
        return sc_xed25519_sign(
          signature, nil, UnsafeRawPointer(secret).assumingMemoryBound(to: UInt8.self), data)
      }
    }
  }
}

extension CommunityIdentity.Request {
  /// The bytes that the caller of a server signs. Throws `argument` for a nonce of another size.
  package func signedText(for server: [UInt8]) throws(SessionError) -> [UInt8] {
    guard nonce.count == Self.nonceBytes else { throw SessionError(SC_ERR_ARGUMENT) }
    return try Core.bytes { out in
      CoreArena.lend { loan in
        var core = sc_community_request()
        fill(&core.server, with: server)
        fill(&core.nonce, with: nonce)
        core.timestamp_s = time.seconds
        core.method = loan.text(method)
        core.path = loan.text(path)
        core.body = loan.bytes(body)
        core.body_hash = bodyHash.flatMap { loan.bytes($0).ptr }
        return sc_community_request_text(out, &core)
      }
    }
  }
}

extension CommunityIdentity: CustomStringConvertible, CustomReflectable {
  public var description: String { author.description }
  public var customMirror: Mirror { Mirror(self, children: ["author": author]) }
}

extension SessionID {
  /// Checks that the author with this id signed the bytes of a message to a room. Throws `signature` otherwise, and
  /// `idKind` for an id that cannot be an author there.
  public func verify(_ signature: [UInt8], of data: [UInt8]) throws(SessionError) {
    try require(.standard, .blinded15, .blinded25)
    try key.lend { (key) throws(SessionError) in
      try Core.lend(data, signature) { (data, signature) throws(SessionError) in
        try Core.call {
          kind == .standard
            ? sc_xed25519_verify(key, data, signature) : sc_ed25519_verify(key, data, signature)
        }
      }
    }
  }
}
