package import SessionBase
import Synchronization

/// A connection to a server, for one call or for a client that writes its own lines.
package final class RPCLink: Sendable {
  /// The server ended the connection before it replied.
  package struct Ended: Error {
    package init() {}
  }

  private let socket: StreamSocket
  /// The server, if it is a part of this program.
  private let serving: Task<Void, Never>?
  /// What was read behind the reply to a call.
  private let unread = Mutex<[UInt8]>([])

  /// Connects. Throws a `FileError` if no program listens there.
  package init(to path: String) throws(FileError) {
    socket = try StreamSocket.connect(to: path)
    serving = nil
  }

  /// A connection within this program, which serves the accounts itself.
  package init(
    serving accounts: any ServedAccounts, dataRoot: String, version: String, methods: [RPCMethod]
  ) throws(FileError) {
    let greeting = Greeting(version: version, dataRoot: try FileIdentity(of: dataRoot))
    let (client, server) = try StreamSocket.pair()
    let connections = Counter()
    connections.add(1)
    let connection = RPCConnection(
      server, RPCMethod.table(methods, greeting, connections: connections), accounts, .own)
    socket = client
    serving = Task { await connection.run() }
  }

  /// The user that the server runs as; nil if the system does not say.
  package var serverUser: UInt32? { socket.peer?.user }

  /// Makes a call while no other is under way. Throws an `RPCError` of the server, or `Ended`.
  package func call(_ method: String, _ params: JSONValue) async throws -> JSONValue {
    let request: JSONValue = [
      "jsonrpc": "2.0", "id": 0, "method": .string(method), "params": params,
    ]
    do { try await write(Array("\(request)\n".utf8)) } catch is FileError { throw Ended() }
    var reader = LineReader(socket, limit: RPCLimits.reply)
    while let line = try await reader.next() {
      let reply = try JSONReader.value(of: line.bytes)
      guard let id = reply["id"], id == 0 || id == .null else { continue }
      if let error = reply["error"] { throw RPCError(error) }
      unread.withLock { $0 = reader.unread }
      return reply["result"] ?? .null
    }
    throw Ended()
  }

  /// True for a server of the accounts in this folder, in contrast to one that uses another home.
  package static func serves(_ dataRoot: String, by greeting: JSONValue) -> Bool {
    guard let own = try? FileIdentity(of: dataRoot) else { return false }
    return greeting["data_root"]?.string == own.text
  }

  /// The next bytes of the server; nil at the end.
  package func read() async throws -> [UInt8]? {
    let early = unread.withLock { unread in
      defer { unread = [] }
      return unread
    }
    guard early.isEmpty else { return early }
    return try await socket.read()?.bytes
  }

  package func write(_ bytes: [UInt8]) async throws { try await socket.write(bytes) }

  /// Says that there are no more calls. The server finishes those under way, and ends the connection.
  package func endWriting() { socket.endWriting() }

  /// Ends it. A server that is a part of this program gives up the calls under way.
  package func close() async {
    socket.close()
    serving?.cancel()
    await serving?.value
  }
}
