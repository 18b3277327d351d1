internal import CLinux
import Glibc
import SessionBase
import Synchronization

/// Waits for the sockets of a process, on one thread of its own.
package final class SocketLoop: Sendable {
  enum Direction: Sendable, CaseIterable {
    case reading
    case writing
  }

  /// The tasks that wait for a socket.
  private typealias Waiting = [Direction: CheckedContinuation<Void, Never>]

  /// Tells a socket from an earlier one with the same descriptor, for which a task may still be about to wait.
  struct Watch: Sendable {
    fileprivate let number: UInt64
  }

  private struct State {
    var last: UInt64 = 0
    var sockets: [Int32: (number: UInt64, waiting: Waiting)] = [:]
  }

  /// One loop serves all sockets; without it no socket works.
  package static let shared = SocketLoop()

  private let epoll: Int32
  private let state = Mutex(State())

  private init() {
    epoll = linux_epoll()
    precondition(epoll >= 0, "the system has no descriptor left to wait for sockets")
    precondition(OwnThread.start { [epoll] in Self.run(epoll) }, "the system has no thread left")
  }

  /// Begins to watch a socket.
  func add(_ socket: Int32) throws(FileError) -> Watch {
    let watch = state.withLock { state in
      state.last += 1
      state.sockets[socket] = (state.last, [:])
      return Watch(number: state.last)
    }
    guard linux_epoll_watch(epoll, socket, 1, 0) == 0 else {
      state.withLock { $0.sockets[socket] = nil }
      throw .system(.device, "cannot wait for", "a socket")
    }
    return watch
  }

  /// Ends all waits for a socket, which is then closed.
  func remove(_ socket: Int32) {
    let waiting = state.withLock { $0.sockets.removeValue(forKey: socket)?.waiting ?? [:] }
    _ = linux_epoll_forget(epoll, socket)
    for waiting in waiting.values { waiting.resume() }
  }

  /// Returns when a socket may be ready, was closed, or the task is cancelled. One task at a time waits in each direction.
  func wait(_ direction: Direction, of socket: Int32, _ watch: Watch) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state -> Bool in
          guard !Task.isCancelled, var entry = state.sockets[socket], entry.number == watch.number else {
            return false
          }
          precondition(entry.waiting[direction] == nil, "two tasks wait for one socket")
          entry.waiting[direction] = continuation
          state.sockets[socket] = entry
          arm(socket, entry.waiting)
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard state.sockets[socket]?.number == watch.number else { return nil }
        return state.sockets[socket]?.waiting.removeValue(forKey: direction)
      }
      waiting?.resume()
    }
  }

  /// True if the loop serves a new socket within a time: it turns. Where the system has no socket left, that is unknown.
  package func turns(within time: Duration) async -> Bool {
    guard let (one, other) = try? StreamSocket.pair() else { return true }
    // Nothing was written to it, so it is writable at once.
    let hasTurned: Void? = try? await withinTime(time) { await one.untilWritable() }
    one.close()
    other.close()
    return hasTurned != nil || Task.isCancelled
  }

  /// Arms the socket for one event.
  private func arm(_ socket: Int32, _ waiting: Waiting) {
    var kinds: UInt32 = 0
    if waiting[.reading] != nil { kinds |= UInt32(LINUX_READABLE) }
    if waiting[.writing] != nil { kinds |= UInt32(LINUX_WRITABLE) }
    _ = linux_epoll_watch(epoll, socket, 0, kinds)
  }

  private static func run(_ epoll: Int32) {
    var events = [linux_event](repeating: linux_event(), count: 64)
    while true {
      let count = linux_epoll_wait(epoll, &events, Int32(events.count))
      guard count >= 0 || errno == EINTR else { return }
      for event in events.prefix(Int(max(count, 0))) {
        shared.take(Int32(truncatingIfNeeded: event.socket), event.kinds)
      }
    }
  }

  private func take(_ socket: Int32, _ kinds: UInt32) {
    // A broken connection is ready for both: the next call says what is wrong.
    let isBroken = kinds & UInt32(LINUX_BROKEN) != 0
    let ready: [Direction] = Direction.allCases.filter { direction in
      switch direction {
      case .reading: isBroken || kinds & UInt32(LINUX_READABLE) != 0
      case .writing: isBroken || kinds & UInt32(LINUX_WRITABLE) != 0
      }
    }
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      let waiting = ready.compactMap { state.sockets[socket]?.waiting.removeValue(forKey: $0) }
      if let rest = state.sockets[socket]?.waiting, !rest.isEmpty { arm(socket, rest) }
      return waiting
    }
    for waiting in waiting { waiting.resume() }
  }
}
