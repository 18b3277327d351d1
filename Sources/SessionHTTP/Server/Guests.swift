internal import CLinux
import Glibc
import Synchronization

/// The connections of a server and their deadlines: the next event by some time, or a number of bytes within some
/// time.
///
/// The library only measures silence; a connection with a byte now and then is never silent.
final class Guests: Sendable {
  /// Which bytes of a connection count.
  enum Flow {
    /// Bytes received from the client.
    case received
    /// Bytes that the client acknowledged.
    case acknowledged
  }

  private struct Guest {
    var deadline: ContinuousClock.Instant?
    var haste: Haste?
  }

  /// A connection that must not be slow, and its progress at the last check.
  private struct Haste {
    let flow: Flow
    var last: ContinuousClock.Instant
    var count: UInt64
  }

  private let slowest: UInt64
  private let pace: Duration
  private let guests = Mutex<[Int32: Guest]>([:])

  /// Connections may not be slower than so many bytes a second, over some time.
  init(slowest: Int, over pace: Duration) {
    let seconds = Double(pace.components.seconds) + Double(pace.components.attoseconds) / 1e18
    self.slowest = UInt64(Double(slowest) * seconds)
    self.pace = pace
  }

  func expect(by timeout: Duration, from descriptor: Int32) {
    let guest = Guest(deadline: ContinuousClock.now + timeout)
    guests.withLock { $0[descriptor] = guest }
  }

  /// From now on bytes must flow.
  func hurry(_ descriptor: Int32, _ flow: Flow) {
    guard let count = Self.count(flow, descriptor) else { return }
    let haste = Haste(flow: flow, last: .now, count: count)
    guests.withLock { $0[descriptor, default: Guest()].haste = haste }
  }

  /// No bytes have to flow: a handler does not take them.
  func rest(_ descriptor: Int32) { guests.withLock { $0[descriptor]?.haste = nil } }

  /// Nothing is expected while a handler works.
  func excuse(_ descriptor: Int32) { guests.withLock { $0[descriptor] = Guest() } }

  /// To be called before the socket is closed.
  func forget(_ descriptor: Int32) { guests.withLock { $0[descriptor] = nil } }

  func hangUpOnTheLate() {
    let now = ContinuousClock.now
    guests.withLock { guests in
      for (descriptor, guest) in guests where isLate(descriptor, guest, now) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        guests[descriptor] = Guest()
      }
      for (descriptor, guest) in guests {
        guard let haste = guest.haste, now - haste.last >= pace else { continue }
        guests[descriptor]?.haste?.last = now
        guests[descriptor]?.haste?.count = Self.count(haste.flow, descriptor) ?? haste.count
      }
    }
  }

  private func isLate(_ descriptor: Int32, _ guest: Guest, _ now: ContinuousClock.Instant) -> Bool {
    if let deadline = guest.deadline, deadline < now { return true }
    guard let haste = guest.haste, now - haste.last >= pace,
      let count = Self.count(haste.flow, descriptor)
    else { return false }
    return count - min(haste.count, count) < slowest
  }

  /// Nil if the system does not report it.
  private static func count(_ flow: Flow, _ descriptor: Int32) -> UInt64? {
    var (received, acknowledged): (UInt64, UInt64) = (0, 0)
    guard linux_tcp_progress(descriptor, &received, &acknowledged) == 0 else { return nil }
    return flow == .received ? received : acknowledged
  }
}
