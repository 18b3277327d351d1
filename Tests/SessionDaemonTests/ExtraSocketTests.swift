import Folders
import SessionBase
import Testing

@testable import SessionDaemon

/// The further sockets of a server.
@Suite(.timeLimit(.minutes(5))) struct ExtraSocketTests {
  private let folder: TemporaryFolder
  private let server: RPCServer

  init() throws {
    folder = try TemporaryFolder()
    server = try RPCServer(at: folder.path("own"), NoAccounts(), dataRoot: "/", version: "1")
  }

  private func socket(_ name: String, _ scopes: Set<RPCScope>) -> ExtraSocket {
    var socket = ExtraSocket(name, at: folder.path(name))
    socket.scopes = scopes
    return socket
  }

  private func scopes(at name: String) async throws -> JSONValue? {
    try await RPCClient(to: folder.path(name)).call("hello")["scopes"]
  }

  @Test func eachSocketHasItsScopes() async throws {
    try await server.serve(on: [socket("a", [.read]), socket("b", [.send, .manage])])
    #expect(try await scopes(at: "a") == ["read"])
    #expect(try await scopes(at: "b") == ["send", "manage"])
    #expect(try await scopes(at: "own") == ["read", "send", "manage", "admin", "secrets"])
    await #expect {
      try await RPCClient(to: folder.path("b")).call("daemon.status")
    } throws: { ($0 as? RPCError)?.kind == "permission" }
    await server.stop()
    #expect(throws: FileError.self) { try RPCClient(to: folder.path("a")) }
  }

  @Test func aSocketThatGoesEndsItsClientsAlone() async throws {
    try await server.serve(on: [socket("a", [.read]), socket("b", [.read])])
    let (a, b) = (try RPCClient(to: folder.path("a")), try RPCClient(to: folder.path("b")))
    _ = try await (a.call("daemon.ping"), b.call("daemon.ping"))
    // The second one has another scope from now on.
    try await server.serve(on: [socket("a", [.read]), socket("b", [.send])])
    await b.waitUntilGone()
    _ = try await a.call("daemon.ping")
    #expect(try await scopes(at: "b") == ["send"])
    await server.stop()
  }

  @Test func aSocketThatCannotBeMadeIsNamedAndTheOthersAreServed() async throws {
    var broken = ExtraSocket("broken", at: folder.path("missing/s"))
    broken.scopes = []
    let sockets = [broken, socket("a", [.read])]
    await #expect { try await server.serve(on: sockets) } throws: { error in
      (error as? FileError)?.message.hasPrefix("the socket broken: ") ?? false
    }
    #expect(try await scopes(at: "a") == ["read"])
    await server.stop()
  }

  @Test func otherUsersHaveFewerConnections() throws {
    let count = Counter()
    let host = ServingHost([:], NoAccounts(), count)
    for _ in 0..<RPCLimits.guestConnections { try host.enter(7, own: 1) }
    #expect { try host.enter(7, own: 1) } throws: { ($0 as? RPCError)?.kind == "limit-reached" }
    // Each user has its own.
    try host.enter(8, own: 1)
    try host.enter(1, own: 1)
    host.leave(7, own: 1)
    try host.enter(7, own: 1)
    while count.value < RPCLimits.connections { try host.enter(1, own: 1) }
    #expect { try host.enter(1, own: 1) } throws: { ($0 as? RPCError)?.kind == "limit-reached" }
    #expect { try host.enter(8, own: 1) } throws: { ($0 as? RPCError)?.kind == "limit-reached" }
    #expect(count.value == RPCLimits.connections)
  }
}
