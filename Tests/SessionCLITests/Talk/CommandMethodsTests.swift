import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// The methods that derive from commands.
@Suite(.timeLimit(.minutes(10))) struct CommandMethodsTests {
  private static let methods = CommandMethods.all(
    MemoryIO().io(), settling: SubscriptionTable(), ClientFiles(in: StorageRoots(inside: "/nowhere")))

  @Test func eachCommandSaysWhetherItIsAMethod() {
    let names = Set(Self.methods.map(\.name))
    #expect(names.count == Self.methods.count)
    #expect(names.count == CommandMethods.commands.count)
    for command in CommandTable.session.commands where command.rpc == .none(.hasOwnMethod) {
      let all = Set(
        CommandMethods.served(MemoryIO().io(), ClientFiles(in: StorageRoots(inside: "/nowhere"))).map(\.name)
      ).union([
        "daemon.reload", "daemon.restart", "daemon.status", "daemon.stop", "account.unlock",
      ])
      #expect(all.contains(CommandMethods.name(of: command)), "\(command.name)")
      #expect(!names.contains(CommandMethods.name(of: command)), "\(command.name)")
    }
  }

  @Test func noMethodOfACommandIsOpenToAll() {
    #expect(Self.methods.allSatisfy { $0.scope != nil })
    let secret = Self.methods.filter { $0.scope == .secrets }.map(\.name).sorted()
    #expect(secret == ["db.passphrase", "key.add", "key.move", "key.remove"])
    let admin = Self.methods.filter { $0.scope == .admin }.map(\.name).sorted()
    #expect(
      admin == [
        "attachment.save", "db.compact", "db.salvage", "hooks.list", "key.list", "key.test",
        "net.guards.forget", "net.reset",
        "readers.forget",
        "readers.retry",
      ])
  }

  /// Names of parameters are words that every language has.
  @Test func parametersHaveNames() {
    for command in CommandMethods.commands {
      let names =
        command.arguments.map(CommandMethods.parameter(of:))
        + command.options.filter { $0.name != "json" }.map(CommandMethods.parameter(of:))
      #expect(Set(names).count == names.count, "\(command.name): \(names)")
      for name in names {
        let isWord = name.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil
        #expect(isWord, "\(command.name): \(name)")
        #expect(!["on", "off"].contains(name), "\(command.name)")
      }
    }
    #expect(Command.timer.arguments.map(CommandMethods.parameter(of:)) == ["chat", "mode", "time_ms"])
  }

  /// A client that may send must not be able to send any file of the user.
  @Test(
    arguments: [
      ("send", ["to": "me", "text": "x", "attach": "/etc/passwd"]),
      ("send", ["to": "me", "text": "x", "attach": .array(["/etc/passwd"])]),
      ("send", ["to": "me", "text": "x", "attach": ["path": "/etc/passwd"]]),
      ("send", ["to": "me", "text": "x", "attach": .array([["data": "aGk="], "/etc/passwd"])]),
      ("group.create", ["name": "x", "picture": "/etc/passwd"]),
      ("group.picture", ["group": "x", "file": "/etc/passwd"]),
      ("notify", ["chat": "me", "sound": "/etc/passwd"]),
    ] as [(String, JSONValue)])
  func pathsNeedTheScopeAdmin(_ name: String, _ params: JSONValue) async throws {
    let restricted = try await failure(of: name, params, RPCAccess([.read, .send, .manage, .secrets]))
    #expect(restricted.kind == "permission")
    #expect(restricted.details == [.init("scope", "admin")])
    #expect(try await failure(of: name, params, .own).kind == "no-account")
  }

  /// What a client sends along itself needs no scope of its own.
  @Test func contentInACallNeedsNoPath() async throws {
    let params: JSONValue = ["to": "me", "attach": ["data": "aGk=", "name": "hi.txt"]]
    #expect(try await failure(of: "send", params, RPCAccess([.send])).kind == "no-account")
  }

  /// Only a value that begins with / is a path where a name may be given.
  @Test func aNameNeedsNoScopeOfAPath() async throws {
    let params: JSONValue = ["chat": "me", "sound": "message-new-instant"]
    #expect(try await failure(of: "notify", params, RPCAccess([.manage])).kind == "no-account")
  }

  @Test(
    arguments: [
      [:], ["data": "aGk=", "path": "/etc/passwd"], ["data": "a"], ["data": "aGk=\n"], ["data": 5], ["fd": 0],
      ["fd": -1], ["fd": 32], ["path": "etc/passwd"], ["data": "aGk=", "mode": 1], ["name": "x"],
      ["data": "aGk=", "voice": "yes"], .array([.array([["data": "aGk="]])]),
      ["data": .string(String(repeating: "AAAA", count: 174_763))],
    ] as [JSONValue])
  func filesOfOtherFormsAreRefused(_ attach: JSONValue) async throws {
    let params: JSONValue = ["to": "me", "attach": attach]
    #expect(try await failure(of: "send", params, .own).kind == "invalid-params")
  }

  /// The failure of a method where there is no account.
  private func failure(of name: String, _ params: JSONValue, _ access: RPCAccess) async throws -> RPCError {
    let method = try #require(Self.methods.first { $0.name == name })
    let (_, other) = try StreamSocket.pair()
    let connection = RPCConnection(other, [:], NoAccounts(), access)
    let call = RPCCall(
      id: nil, params: params, files: [], connection: connection, work: CallStatistics().begin())
    return try #require(await #expect(throws: RPCError.self) { try await method.run(call) })
  }

  private struct NoAccounts: ServedAccounts {
    func all() -> [ServedAccount] { [] }
    func messenger(named name: String?) throws -> Messenger { throw RPCError.noAccount("") }
    func openMessenger(named name: String) -> Messenger? { nil }
    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    func park(_ name: String) {}
    func unpark(_ name: String) {}
    func release(to process: Int32) {}
    func unlock(_ name: String, _ secret: KeySecret?) {}
    func change(_ name: String, _ change: AccountChange) {}
    func isDeleted(_ name: String) -> Bool { false }
  }
}
