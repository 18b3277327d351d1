package import CSessionCore

extension Storage {
  /// The signer of requests to a swarm.
  public struct Signer: Sendable {
    private enum Key: Sendable {
      case account(Account)
      case group(GroupAdminKey)
      case member(Account, access: SecretBytes)
    }

    /// The account or group whose swarm it is.
    public let account: SessionID
    private let key: Key

    /// The owner of an account.
    public static func account(_ account: Account) -> Signer {
      Signer(account: account.id, key: .account(account))
    }

    /// An admin of a group.
    public static func admin(_ key: GroupAdminKey) -> Signer {
      Signer(account: key.group, key: .group(key))
    }

    /// A member of a group, with the access an admin granted them, see ``Account/verifyAccess(_:to:)``.
    public static func member(_ member: Account, of group: SessionID, access: SecretBytes) -> Signer {
      Signer(account: group, key: .member(member, access: access))
    }
  }
}

extension Storage.Signer: CustomStringConvertible, CustomReflectable {
  public var description: String {
    switch key {
    case .account: "Signer(\(account))"
    case .group: "Signer(an admin of \(account))"
    case .member: "Signer(a member of \(account))"
    }
  }
  public var customMirror: Mirror { Mirror(self, children: ["account": account]) }
}

extension Storage.Signer {
  package func withCore(
    _ body: (UnsafePointer<sc_storage_signer>) throws(SessionError) -> Void
  ) throws(SessionError) {
    switch key {
    case .account(let account):
      try account.withKeys { (keys) throws(SessionError) in
        try lend(sc_storage_account_signer(keys.pointer(to: \.ed)), body)
      }
    case .group(let key):
      try key.seed.withPair { (pair) throws(SessionError) in try lend(sc_storage_group_signer(pair), body) }
    case .member(let account, let access):
      try account.withKeys { (keys) throws(SessionError) in
        try access.withCore { (access) throws(SessionError) in
          let subaccount = sc_storage_subaccount(me: keys, access: access)
          try withUnsafePointer(to: subaccount) { (subaccount) throws(SessionError) in
            try lend(sc_storage_subaccount_signer(subaccount), body)
          }
        }
      }
    }
  }

  private func lend(
    _ signer: sc_storage_signer, _ body: (UnsafePointer<sc_storage_signer>) throws(SessionError) -> Void
  ) throws(SessionError) {
    try withUnsafePointer(to: signer) { (signer) throws(SessionError) in try body(signer) }
  }
}

extension sc_storage_request {
  /// Creates a request with this method, about an account.
  init(_ method: sc_storage_method, _ account: SessionID? = nil) {
    self.init()
    self.method = method
    if let account { fill(&self.account, with: account.bytes) }
  }
}
