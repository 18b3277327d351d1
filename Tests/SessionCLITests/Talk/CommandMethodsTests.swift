import SessionBase
import SessionCore
import SessionMessaging
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// The methods that derive from commands.
@Suite struct CommandMethodsTests {
  @Test func eachMethodIsACommandWithOneScope() {
    let commands = Set(CommandTable.session.commands.map(\.name))
    let names = CommandMethods.names.values.flatMap(\.self)
    #expect(names.filter { !commands.contains($0) } == [])
    #expect(Set(names).count == names.count)
    #expect(CommandMethods.all.count == names.count)
  }

  @Test func noMethodOfACommandIsOpenToAll() {
    #expect(CommandMethods.all.allSatisfy { $0.scope != nil })
    #expect(!CommandMethods.names.keys.contains(.admin) && !CommandMethods.names.keys.contains(.secrets))
  }

  /// A client that may send must not be able to send any file of the user.
  @Test(
    arguments: [
      ("send", ["to": "me", "text": "x", "attach": "/etc/passwd"]),
      ("send", ["to": "me", "text": "x", "attach": .array(["/etc/passwd"])]),
      ("group.create", ["name": "x", "picture": "/etc/passwd"]),
      ("group.picture", ["group": "x", "file": "/etc/passwd"]),
    ] as [(String, JSONValue)])
  func pathsNeedTheScopeAdmin(_ name: String, _ params: JSONValue) async throws {
    let restricted = try await failure(of: name, params, RPCAccess([.read, .send, .manage, .secrets]))
    #expect(restricted.kind == "permission")
    #expect(restricted.details == [.init("scope", "admin")])
    #expect(try await failure(of: name, params, .own).kind == "no-account")
  }

  /// The failure of a method where there is no account.
  private func failure(of name: String, _ params: JSONValue, _ access: RPCAccess) async throws -> RPCError {
    let method = try #require(CommandMethods.all.first { $0.name == name })
    let (_, other) = try UnixSocket.pair()
    let connection = RPCConnection(other, [:], NoAccounts(), access)
    let call = RPCCall(id: nil, params: params, files: [], connection: connection)
    return try #require(await #expect(throws: RPCError.self) { try await method.run(call) })
  }

  private struct NoAccounts: ServedAccounts {
    func all() -> [ServedAccount] { [] }
    func messenger(named name: String?) throws -> Messenger { throw RPCError.noAccount("") }
    func park(_ name: String) {}
    func unpark(_ name: String) {}
    func release(to process: Int32) {}
    func unlock(_ name: String, _ passphrase: SecretBytes) {}
  }
}
