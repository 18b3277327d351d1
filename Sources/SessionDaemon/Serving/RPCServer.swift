package import SessionBase
import SessionMessaging
import Synchronization

/// Serves accounts on a Unix socket for other programs of the same user, and on further sockets for others.
package final class RPCServer: Sendable {
  private let host: ServingHost
  private let own: SocketService
  private let extra = Mutex<[ExtraSocket: SocketService]>([:])
  private let http = Mutex<HTTPService?>(nil)
  private let startedAt: UInt64
  /// The further sockets of the service manager, which listen for as long as the program runs.
  private let passed: [String: ActivatedSockets.Activated]

  package var path: String { own.path }

  /// A connection within this program, with all rights. It counts as none.
  package func client(
    hear: @escaping @Sendable (_ method: String, _ params: JSONValue) -> Void
  ) throws(FileError) -> RPCClient {
    let (client, server) = try StreamSocket.pair()
    let connection = RPCConnection(
      server, host.methods, host.accounts, .own, statistics: host.statistics)
    Task { await connection.run() }
    return RPCClient(client, hear: hear)
  }

  /// Since when there is no connection; nil while there are some.
  package var idleSince: ContinuousClock.Instant? { host.count.zeroSince }

  /// Since when no call is under way, apart from those that wait for something; nil while one is.
  package var noCallSince: ContinuousClock.Instant? { host.statistics.idleSince }

  /// Begins to serve at a path, in a folder that only its owner may open, or at the socket that listens already instead.
  package init(
    at path: String, insteadAt activated: ActivatedSockets = ActivatedSockets(),
    _ accounts: any ServedAccounts,
    dataRoot: String, version: String,
    methods: [RPCMethod] = [], uploads: Uploads? = nil
  ) throws(FileError) {
    let listener =
      if let own = activated.own { try SocketListener(own) } else { try SocketListener(at: path) }
    let greeting = Greeting(version: version, dataRoot: try FileIdentity(of: dataRoot))
    let (count, statistics) = (Counter(), CallStatistics())
    host = ServingHost(
      RPCMethod.table(methods, greeting, connections: count, statistics), accounts, count,
      statistics, uploads: uploads)
    passed = activated.extra
    startedAt = greeting.startedAt
    own = SocketService(listener, host, .own)
  }

  /// Serves on these further sockets and on no others. Those that stay keep their clients. Throws the first failure, after
  /// all of the others are served.
  package func serve(on sockets: [ExtraSocket]) async throws(FileError) {
    let gone = extra.withLock { extra in
      let gone = extra.filter { !sockets.contains($0.key) }
      for socket in gone.keys { extra[socket] = nil }
      return gone.values
    }
    await Self.stop(Array(gone), within: Self.finishing)
    var failure: FileError?
    for socket in sockets where extra.withLock({ $0[socket] }) == nil {
      do throws(FileError) {
        let access = RPCAccess(
          socket.scopes, accounts: socket.accounts, sends: SendBudget(), owner: socket.name)
        let passed = try passed[socket.name]?.duplicate()
        let listener =
          if let passed { try SocketListener(passed, for: socket) } else { try SocketListener(for: socket) }
        let service = SocketService(listener, host, access)
        extra.withLock { $0[socket] = service }
      } catch {
        failure = failure ?? FileError(error.code, "the socket \(socket.name): \(error.message)")
      }
    }
    if let failure { throw failure }
  }

  /// Begins to serve HTTP to programs that have a token, too, at an address or at the port that listens already. Returns the
  /// address, with the port that the system chose where none was given. Throws `inUse` if another program has the port.
  package func serveHTTP(
    at address: LoopbackAddress, insteadAt passed: ActivatedSockets.ActivatedPort? = nil,
    origins: Set<String>, _ tokens: TokenKeeper,
    numbering number: @escaping @Sendable (_ account: String) -> Int? = { _ in nil },
    log: @escaping @Sendable (String) -> Void
  ) throws(FileError) -> LoopbackAddress {
    let metrics = ServerMetrics(host: host, startedAt: startedAt, number: number)
    let listener =
      if let passed { try LoopbackListener(passed) } else { try LoopbackListener(at: address) }
    let service = HTTPService(
      listener, origins: origins, host, tokens, metrics: { await metrics.text(for: $0) }, log: log)
    http.withLock { $0 = service }
    return service.address
  }

  /// Web pages of these origins may connect from now on.
  package func allow(_ origins: Set<String>) { http.withLock { $0 }?.allow(origins) }

  /// How long the calls of a socket that goes may take.
  private static let finishing = Duration.seconds(2)

  /// What goes on listening when this stops, in this program started anew: the own socket, the port of HTTP, and what the
  /// service manager passed. Further sockets of the program itself are made again.
  package func kept() throws(FileError) -> KeptSockets {
    var entries = [try own.kept(as: "rpc")]
    if let http = http.withLock({ $0 }) { entries.append(try http.kept()) }
    for (socket, service) in extra.withLock({ $0 }) where service.isPassed {
      entries.append(try service.kept(as: socket.name))
    }
    return KeptSockets(entries)
  }

  /// Stops listening, finishes the calls under way, for a limited time, and ends all connections. Clients hear the reason.
  package func stop(
    finishingWithin timeout: Duration = .seconds(2), _ reason: EndReason = .stopping
  ) async {
    let others = extra.withLock { extra in
      defer { extra = [:] }
      return Array(extra.values)
    }
    await http.withLock { $0.take() }?.stop()
    await Self.stop(others + [own], within: timeout, reason)
  }

  private static func stop(
    _ services: [SocketService], within timeout: Duration, _ reason: EndReason = .stopping
  ) async {
    await withTaskGroup { group in
      for service in services { group.addTask { await service.stop(finishingWithin: timeout, reason) } }
    }
  }
}
