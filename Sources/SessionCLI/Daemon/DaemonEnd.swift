import SessionBase
import SessionDaemon
import Synchronization

/// The request of a client that the daemon ends, or starts itself anew.
final class DaemonEnd: Sendable {
  private let requested = Latch()
  private let reason = Mutex<EndReason?>(nil)

  /// Why it ends; nil while no client has asked.
  var why: EndReason? { reason.withLock { $0 } }

  /// A request to end counts more than one to start anew.
  func request(_ wanted: EndReason) {
    reason.withLock { reason in if reason == nil || wanted == .stopping { reason = wanted } }
    requested.open()
  }

  /// Returns when a client has asked, or the task is cancelled.
  func wait() async { await requested.wait() }
}

extension RPCMethod {
  /// Makes the daemon end.
  static func stop(_ end: DaemonEnd) -> RPCMethod {
    RPCMethod("daemon.stop", needs: .admin, takes: []) { _ in
      end.request(.stopping)
      return "{\"done\":true}"
    }
  }

  /// Makes the daemon start itself anew. Refused if it could not start with its settings; `check` throws what else would end
  /// the start.
  static func restart(
    _ end: DaemonEnd, _ settings: LiveSettings, checking check: @escaping @Sendable () throws -> Void
  ) -> RPCMethod {
    RPCMethod("daemon.restart", needs: .admin, takes: []) { _ in
      do {
        try await settings.check()
        try check()
      } catch { throw RPCError(failureOf: error) }
      end.request(.restarting)
      return "{\"done\":true}"
    }
  }
}
