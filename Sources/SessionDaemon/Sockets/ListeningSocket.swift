internal import CLinux
import Glibc
import SessionBase
import Synchronization

/// A descriptor that accepts connections.
final class ListeningSocket: Sendable {
  private let descriptor: Int32
  private let watch: SocketLoop.Watch
  private let isClosed = Mutex(false)

  /// Takes over a descriptor that listens and does not block; if this throws, it still belongs to the caller.
  init(adopting descriptor: Int32) throws(FileError) {
    watch = try SocketLoop.shared.add(descriptor)
    self.descriptor = descriptor
  }

  deinit { close() }

  /// Stops listening, after some last work, which is done once.
  func close(after work: () -> Void = {}) {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    work()
    SocketLoop.shared.remove(descriptor)
    Glibc.close(descriptor)
  }

  /// A descriptor that goes on listening when this stops, also in a program that is started.
  func kept() throws(FileError) -> Int32 {
    let descriptor = isClosed.withLock { $0 ? -1 : fcntl(self.descriptor, F_DUPFD, 3) }
    guard descriptor >= 0 else { throw .system(.device, "cannot keep", "a socket") }
    return descriptor
  }

  /// The next connection; nil when the socket was closed, or the task is cancelled.
  func next() async -> StreamSocket? {
    while !Task.isCancelled {
      let accepted = isClosed.withLock { isClosed -> Int32? in isClosed ? nil : linux_accept(descriptor) }
      guard let accepted else { return nil }
      if accepted >= 0 {
        if let socket = try? StreamSocket(adopting: accepted) { return socket }
        continue
      }
      switch errno {
      case EAGAIN: await SocketLoop.shared.wait(.reading, of: descriptor, watch)
      case ECONNABORTED, EINTR: continue
      // Mostly too many files are open. Connections wait in the system, which reports no event when there is room again.
      default: try? await Task.sleep(for: .milliseconds(100))
      }
    }
    return nil
  }
}
