import SessionBase

/// What a client may do.
package struct RPCAccess: Sendable {
  package let scopes: Set<RPCScope>
  /// The names of the accounts that it may use; nil for all.
  let accounts: Set<String>?
  /// How much it may send; nil for any number of messages.
  private let sends: SendBudget?
  /// The name of a token or a further socket, with which the names of its readers begin; nil for any readers.
  let owner: String?
  /// The files that clients with this access read through pipes.
  let pipes = Places(RPCLimits.pipes)

  package init(
    _ scopes: Set<RPCScope>, accounts: Set<String>? = nil, sends: SendBudget? = nil, owner: String? = nil
  ) {
    self.owner = owner
    self.scopes = scopes
    self.accounts = accounts
    self.sends = sends
  }

  /// That of a program of the same user, over the user's own socket.
  package static let own = RPCAccess(Set(RPCScope.allCases))

  /// True for a program of the same user, over the user's own socket.
  package var isOwn: Bool { owner == nil }

  /// Throws `permission` if the client may not call a method, `rate-limited` if it may not now.
  func admit(_ method: RPCMethod) throws(RPCError) {
    try require(method.scope, for: "\"\(method.name)\"")
    if method.scope == .send, method.isMetered { try sends?.take() }
  }

  /// Throws `permission` unless the reader belongs to this client.
  func requireReader(_ name: String) throws(RPCError) {
    guard let owner, !scopes.contains(.admin), name != owner, !name.hasPrefix(owner + ":") else { return }
    var error = RPCError(
      77, "permission", "the reader \"\(name)\" needs the scope \"admin\", which this client lacks",
      advice: "Its own readers are \"\(owner)\" and those that begin with \"\(owner):\".")
    error.details = [.init("scope", .string(RPCScope.admin.rawValue))]
    throw error
  }

  /// The served accounts that the client may use.
  func permitted(_ served: any ServedAccounts) -> any ServedAccounts {
    accounts.map { PermittedAccounts(served: served, names: $0) } ?? served
  }

  /// Throws `permission` if the client may use some accounts only.
  package func requireAllAccounts(for what: String) throws(RPCError) {
    guard accounts != nil else { return }
    throw RPCError(77, "permission", "\(what) is about all accounts, and this client may use some only")
  }

  /// Throws `permission` if the client lacks a scope; `nil` is a scope that each client has.
  package func require(_ scope: RPCScope?, for what: String) throws(RPCError) {
    guard let scope, !scopes.contains(scope) else { return }
    var error = RPCError(
      77, "permission", "\(what) needs the scope \"\(scope.rawValue)\", which this client lacks")
    error.details = [.init("scope", .string(scope.rawValue))]
    throw error
  }
}
