package import SessionBase
package import SessionMessaging

/// A method that clients can call.
package struct RPCMethod: Sendable {
  package let name: String
  /// What a client needs to call it; nil for a method that every client may call.
  package let scope: RPCScope?
  /// The names of its parameters; nil for a method that checks them itself.
  package let parameters: [String]?
  /// True for a method of the scope `send` that counts for the limit of how much a client sends.
  let isMetered: Bool
  /// Returns the JSON text of the result.
  package let run: @Sendable (RPCCall) async throws -> String

  package init(
    _ name: String, needs scope: RPCScope?, takes parameters: [String]? = nil, isMetered: Bool = true,
    _ run: @escaping @Sendable (RPCCall) async throws -> String
  ) {
    self.name = name
    self.scope = scope
    self.parameters = parameters
    self.isMetered = isMetered
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
  /// Ends where the call only waits.
  let work: CallWork
  /// The files that go with the reply.
  let passedBack = PassedBack()

  /// The path of a file whose descriptor came with the call, for as long as the call lasts.
  package func file(_ index: Int) throws(RPCError) -> String {
    guard files.indices.contains(index) else { throw .invalidParams("there is no descriptor \(index)") }
    guard files[index].isReadable else {
      throw .invalidParams("descriptor \(index) is no file that you can read")
    }
    return files[index].path
  }

  /// False for a single request of HTTP, whose client is there for no other call.
  package var isOnLastingConnection: Bool { connection.isLasting }

  /// Does something when the client is gone, instead of what it had under this name.
  package func whenClientLeaves(_ name: String, _ work: @escaping @Sendable () async -> Void) {
    connection.whenOver(name, work)
  }

  /// Changes the state of one of the accounts that the client may use.
  package func change(_ account: String, _ change: AccountChange) async throws {
    try await connection.accounts.change(account, change)
  }

  /// Some bytes of a file of a message, and whether they are its last.
  package func part(
    of file: AttachmentView.ID, at start: Int, length: Int, _ messenger: Messenger
  ) async throws -> (bytes: [UInt8], isEnd: Bool) {
    try await connection.readers.part(of: file, at: start, length: length, messenger)
  }

  /// What the client may do.
  package var access: RPCAccess { connection.access }

  /// The account that the parameters name, or else the client's `hello`, or else the only one.
  package func messenger() async throws -> Messenger {
    try await connection.accounts.messenger(named: namedAccount())
  }

  private func namedAccount() throws(RPCError) -> String? {
    guard let named = params["account"] else { return connection.account }
    guard let name = named.string else { throw .invalidParams("\"account\" is a text") }
    return name
  }

  /// One of the accounts that the client may use.
  package func messenger(named name: String) async throws -> Messenger {
    try await connection.accounts.messenger(named: name)
  }

  /// The accounts that the client may use.
  package func accounts() async -> [ServedAccount] { await connection.accounts.all() }

  /// The name of that account. Throws `no-account` for one that the client may not use.
  package func account() async throws -> String {
    let all = await connection.accounts.all()
    if let name = try namedAccount() {
      guard all.contains(where: { $0.name == name }) else { throw RPCError.noAccount(name) }
      return name
    }
    guard let only = all.first, all.count == 1 else { throw RPCError.accountRequired(all.map(\.name)) }
    return only.name
  }
}
