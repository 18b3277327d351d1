import SessionBase

/// What a client may do.
package struct RPCAccess: Sendable {
  package let scopes: Set<RPCScope>
  /// The names of the accounts that it may use; nil for all.
  let accounts: Set<String>?
  /// How much it may send; nil for any number of messages.
  private let sends: SendBudget?

  package init(_ scopes: Set<RPCScope>, accounts: Set<String>? = nil, sends: SendBudget? = nil) {
    self.scopes = scopes
    self.accounts = accounts
    self.sends = sends
  }

  /// That of a program of the same user, over the user's own socket.
  package static let own = RPCAccess(Set(RPCScope.allCases))

  /// Throws `permission` if the client may not call a method, `rate-limited` if it may not now.
  func admit(_ method: RPCMethod) throws(RPCError) {
    try require(method.scope, for: "\"\(method.name)\"")
    if method.scope == .send { try sends?.take() }
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
