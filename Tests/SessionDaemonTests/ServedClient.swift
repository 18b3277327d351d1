import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

@testable import SessionDaemon

/// A client of a connection that a test serves.
final class ServedClient: Sendable {
  let socket: StreamSocket
  private let serving: Task<Void, Never>

  init(
    _ methods: [RPCMethod] = [], _ accounts: any ServedAccounts = NoAccounts(), _ access: RPCAccess = .own
  ) throws {
    let (own, other) = try StreamSocket.pair()
    socket = own
    let greeting = Greeting(version: "1", dataRoot: try FileIdentity(of: "/"))
    let table = Dictionary(
      uniqueKeysWithValues: (methods + RPCMethod.basic(greeting)).map { ($0.name, $0) })
    let connection = RPCConnection(other, table, accounts, access)
    serving = Task { await connection.run() }
  }

  func write(_ text: String) async throws { try await socket.write(Array(text.utf8)) }

  /// Returns when the server has ended the connection.
  func untilEnded() async { await serving.value }

  /// The replies to what this client writes before it stops writing.
  func replies(to text: String) async throws -> [JSONValue] {
    let reading = Task { [socket] in
      var reader = LineReader(socket, limit: RPCLimits.reply)
      var replies: [JSONValue] = []
      while let line = try await reader.next() { replies.append(try JSONReader.value(of: line.bytes)) }
      return replies
    }
    // A server that does not read on ends the connection.
    try? await write(text)
    socket.endWriting()
    let all = try await reading.value
    await untilEnded()
    return all
  }
}

/// The accounts of a server that has none.
struct NoAccounts: ServedAccounts {
  func all() async -> [ServedAccount] { [] }

  func messenger(named name: String?) async throws -> Messenger {
    throw RPCError(78, "no-account", "there is no account here")
  }

  func openMessenger(named name: String) -> Messenger? { nil }

  func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  func park(_ name: String) {}
  func unpark(_ name: String) {}
  func release(to process: Int32) {}
  func unlock(_ name: String, _ secret: KeySecret?) {}
  func change(_ name: String, _ change: AccountChange) {}
  func isDeleted(_ name: String) -> Bool { false }
}

/// The accounts of a server that shows them as they were at an earlier look.
struct EarlierAccounts: ServedAccounts {
  let served: any ServedAccounts
  let seen: [ServedAccount]

  func all() -> [ServedAccount] { seen }

  func messenger(named name: String?) async throws -> Messenger { try await served.messenger(named: name) }

  func openMessenger(named name: String) async -> Messenger? { await served.openMessenger(named: name) }

  func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  func park(_ name: String) {}
  func unpark(_ name: String) {}
  func release(to process: Int32) {}
  func unlock(_ name: String, _ secret: KeySecret?) {}
  func change(_ name: String, _ change: AccountChange) {}
  func isDeleted(_ name: String) -> Bool { false }
}
