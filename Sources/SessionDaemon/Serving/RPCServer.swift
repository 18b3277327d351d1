package import SessionBase
import SessionMessaging
import Synchronization

/// Serves accounts on a Unix socket, for other programs of the same user.
package final class RPCServer: Sendable {
  private let listener: SocketListener
  private let methods: [String: RPCMethod]
  private let accounts: any ServedAccounts
  private let running = Mutex<Task<Void, Never>?>(nil)
  /// The number of connections.
  private let count = Counter()
  private let open = Mutex<[ObjectIdentifier: RPCConnection]>([:])

  package var path: String { listener.path }

  /// Since when there is no connection; nil while there are some.
  package var idleSince: ContinuousClock.Instant? { count.zeroSince }

  /// Begins to serve at a path, in a folder that only its owner may open.
  package init(
    at path: String, _ accounts: any ServedAccounts, dataRoot: String, version: String,
    methods: [RPCMethod] = []
  ) throws(FileError) {
    listener = try SocketListener(at: path)
    self.accounts = accounts
    let greeting = Greeting(version: version, dataRoot: try FileIdentity(of: dataRoot))
    let status = RPCMethod.status(greeting, connections: count)
    self.methods = Dictionary(
      uniqueKeysWithValues: (methods + RPCMethod.basic(greeting) + RPCMethod.messenger + [status])
        .map { ($0.name, $0) })
    running.withLock { $0 = Task { [weak self] in await self?.run() } }
  }

  /// Stops listening, finishes the calls under way, for a limited time, and ends all connections.
  package func stop(finishingWithin timeout: Duration = .seconds(2)) async {
    let task = running.withLock { $0.take() }
    listener.close()
    await withTaskGroup { group in
      for connection in open.withLock({ Array($0.values) }) {
        group.addTask { await connection.drain(within: timeout) }
      }
    }
    task?.cancel()
    await task?.value
  }

  private func run() async {
    await withDiscardingTaskGroup { group in
      while let socket = await listener.next() {
        guard count.value < RPCLimits.connections else {
          let error = RPCError(71, "limit-reached", "there are \(RPCLimits.connections) connections already")
          group.addTask {
            try? await socket.write(Array((RPCReply(id: nil, .failure(error)).text + "\n").utf8))
          }
          continue
        }
        count.add(1)
        let connection = RPCConnection(socket, methods, accounts, .own)
        open.withLock { $0[ObjectIdentifier(connection)] = connection }
        group.addTask { [self] in
          await connection.run()
          open.withLock { $0[ObjectIdentifier(connection)] = nil }
          count.add(-1)
        }
      }
    }
  }
}

/// A number that tasks change.
final class Counter: Sendable {
  private struct State {
    var number = 0
    var zeroSince: ContinuousClock.Instant? = .now
  }

  private let state = Mutex(State())

  var value: Int { state.withLock { $0.number } }

  /// Since when it is zero; nil while it is not.
  var zeroSince: ContinuousClock.Instant? { state.withLock { $0.zeroSince } }

  func add(_ difference: Int) {
    state.withLock { state in
      state.number += difference
      state.zeroSince = state.number == 0 ? .now : nil
    }
  }
}
