import Glibc
import SessionBase
import Synchronization

/// A listening socket, and its clients.
final class SocketService: Sendable {
  private let listener: SocketListener
  private let host: ServingHost
  private let access: RPCAccess
  private let running = Mutex<Task<Void, Never>?>(nil)
  private let open = Mutex<[ObjectIdentifier: RPCConnection]>([:])

  var path: String { listener.path }

  /// Begins to serve clients, all of which have the same access.
  init(_ listener: SocketListener, _ host: ServingHost, _ access: RPCAccess) {
    self.listener = listener
    self.host = host
    self.access = access
    running.withLock { $0 = Task { [weak self] in await self?.run() } }
  }

  /// What goes on listening when this stops, in this program started anew.
  func kept(as name: String) throws(FileError) -> KeptSockets.Entry { try listener.kept(as: name) }

  /// True if the service manager made the socket.
  var isPassed: Bool { listener.isPassed }

  /// Stops listening, finishes the calls under way, for a limited time, and ends all connections. Clients hear the reason.
  func stop(finishingWithin timeout: Duration, _ reason: EndReason = .stopping) async {
    let task = running.withLock { $0.take() }
    listener.close()
    await withTaskGroup { group in
      for connection in open.withLock({ Array($0.values) }) {
        group.addTask { await connection.drain(within: timeout, reason) }
      }
    }
    task?.cancel()
    await task?.value
  }

  private func run() async {
    let own = geteuid()
    await withDiscardingTaskGroup { group in
      while let socket = await listener.next() {
        let user = socket.peer?.user ?? own
        do throws(RPCError) { try host.enter(user, own: own) } catch {
          group.addTask {
            try? await socket.write(Array((RPCReply(id: nil, .failure(error)).text + "\n").utf8))
          }
          continue
        }
        let connection = RPCConnection(
          socket, host.methods, host.accounts, access, statistics: host.statistics)
        open.withLock { $0[ObjectIdentifier(connection)] = connection }
        group.addTask { [self] in
          await connection.run()
          open.withLock { $0[ObjectIdentifier(connection)] = nil }
          host.leave(user, own: own)
        }
      }
    }
  }
}
