package import SessionBase
package import SessionMessaging

/// A method that clients can call.
package struct RPCMethod: Sendable {
  package let name: String
  /// Returns the JSON text of the result.
  package let run: @Sendable (RPCCall) async throws -> String

  package init(_ name: String, _ run: @escaping @Sendable (RPCCall) async throws -> String) {
    self.name = name
    self.run = run
  }
}

/// A call of a client that is being carried out.
package struct RPCCall: Sendable {
  /// Nil inside of a batch or notification.
  let id: RPCRequest.ID?
  package let params: JSONValue
  let files: [PassedFile]
  let connection: RPCConnection

  /// The account that the parameters name, or else the client's `hello`, or else the only one.
  package func messenger() async throws -> Messenger {
    try await connection.accounts.messenger(named: namedAccount())
  }

  private func namedAccount() throws(RPCError) -> String? {
    guard let named = params["account"] else { return connection.account }
    guard let name = named.string else { throw .invalidParams("\"account\" is a text") }
    return name
  }

  /// The name of that account.
  package func account() async throws -> String {
    if let name = try namedAccount() { return name }
    let all = await connection.accounts.all()
    guard let only = all.first, all.count == 1 else {
      throw RPCError(78, "account-required", "there are several accounts, or none: name one")
    }
    return only.name
  }
}
