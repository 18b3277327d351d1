internal import CLinux
import Glibc
import Synchronization

/// The connections of a server and their deadlines: the next event by some time, or a number of bytes within some
/// time.
///
/// The library only measures silence; a connection with a byte now and then is never silent.
final class ConnectionDeadlines: Sendable {
  /// Which bytes of a connection count.
  enum Flow {
    /// Bytes received from the client.
    case received
    /// Bytes that the client acknowledged.
    case acknowledged
  }

  private struct Limits {
    var deadline: ContinuousClock.Instant?
    var progress: Progress?
  }

  /// A connection that must not be slow, and its progress at the last check.
  private struct Progress {
    let flow: Flow
    var last: ContinuousClock.Instant
    var count: UInt64
  }

  private let minBytes: UInt64
  private let period: Duration
  private let connections = Mutex<[Int32: Limits]>([:])

  /// Connections may not be slower than so many bytes a second, over some time.
  init(minBytesPerSecond: Int, over period: Duration) {
    let seconds = Double(period.components.seconds) + Double(period.components.attoseconds) / 1e18
    minBytes = UInt64(Double(minBytesPerSecond) * seconds)
    self.period = period
  }

  func expect(by timeout: Duration, from descriptor: Int32) {
    let limits = Limits(deadline: ContinuousClock.now + timeout)
    connections.withLock { $0[descriptor] = limits }
  }

  /// From now on bytes must flow.
  func requireFlow(_ descriptor: Int32, _ flow: Flow) {
    guard let count = Self.count(flow, descriptor) else { return }
    let progress = Progress(flow: flow, last: .now, count: count)
    connections.withLock { $0[descriptor, default: Limits()].progress = progress }
  }

  /// No bytes have to flow: a handler does not take them.
  func allowPause(_ descriptor: Int32) { connections.withLock { $0[descriptor]?.progress = nil } }

  /// Nothing is expected while a handler works.
  func clear(_ descriptor: Int32) { connections.withLock { $0[descriptor] = Limits() } }

  /// To be called before the socket is closed.
  func forget(_ descriptor: Int32) { connections.withLock { $0[descriptor] = nil } }

  func closeOverdue() {
    let now = ContinuousClock.now
    connections.withLock { connections in
      for (descriptor, limits) in connections where isLate(descriptor, limits, now) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        connections[descriptor] = Limits()
      }
      for (descriptor, limits) in connections {
        guard let progress = limits.progress, now - progress.last >= period else { continue }
        connections[descriptor]?.progress?.last = now
        connections[descriptor]?.progress?.count = Self.count(progress.flow, descriptor) ?? progress.count
      }
    }
  }

  private func isLate(_ descriptor: Int32, _ limits: Limits, _ now: ContinuousClock.Instant) -> Bool {
    if let deadline = limits.deadline, deadline < now { return true }
    guard let progress = limits.progress, now - progress.last >= period,
      let count = Self.count(progress.flow, descriptor)
    else { return false }
    return count - min(progress.count, count) < minBytes
  }

  /// Nil if the system does not report it.
  private static func count(_ flow: Flow, _ descriptor: Int32) -> UInt64? {
    var (received, acknowledged): (UInt64, UInt64) = (0, 0)
    guard linux_tcp_progress(descriptor, &received, &acknowledged) == 0 else { return nil }
    return flow == .received ? received : acknowledged
  }
}
