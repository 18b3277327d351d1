internal import CLinux
import Dispatch
import Glibc
import SessionBase
import Synchronization

/// A counter in a small file next to a database, by which processes notify each other of commits.
///
/// Watching the file avoids needless wake-ups. The counter only says that the database may have changed.
// Sendable without the compiler's check: the source is set before anything else can reach it, and not after; it may be
// cancelled from any thread.
final class ChangeBeacon: @unchecked Sendable {
  /// The polling interval if the kernel cannot watch more files.
  private static let interval = DispatchTimeInterval.milliseconds(500)

  private let descriptor: Int32
  private let path: String
  private let seen: Mutex<UInt64>
  private let queue = WorkerQueue("session.storage.beacon")
  private var source: (any DispatchSourceProtocol)?

  /// Opens the counter, creating it if necessary.
  init(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system("open \(path)", otherwise: .cannotOpen) }
    self.descriptor = descriptor
    self.path = path
    // Before reading the database, so that later commits of other processes see this reader.
    linux_take_part(descriptor)
    seen = Mutex(Self.read(descriptor))
  }

  deinit {
    stop()
    close(descriptor)
  }

  /// Counts a commit if another process is listening. Returns true if others have counted any since the last check.
  func signal() -> Bool {
    // The counter wakes this process as well, which costs as much as a small commit.
    guard linux_is_alone(descriptor) == 0 else { return false }
    return seen.withLock { seen in
      // Two processes must not count to the same number, or neither would look again.
      flock(descriptor, LOCK_EX)
      defer { flock(descriptor, LOCK_UN) }
      let found = Self.read(descriptor)
      let hasNews = found != seen
      var next = (found &+ 1).littleEndian
      // If this fails, other processes see the commit when they next look.
      pwrite(descriptor, &next, MemoryLayout.size(ofValue: next), 0)
      seen = UInt64(littleEndian: next)
      return hasNews
    }
  }

  /// Calls a closure, on a queue of its own, whenever another process has counted.
  func watch(_ body: @escaping @Sendable () -> Void) {
    let look: @Sendable () -> Void = { [weak self] in if self?.look() == true { body() } }
    guard !watchFile(look) else { return }
    let timer = DispatchSource.makeTimerSource(queue: queue.dispatch)
    timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: Self.interval)
    timer.setEventHandler(handler: look)
    source = timer
    timer.activate()
  }

  func stop() {
    source?.cancel()
  }

  /// True if the counter has changed since the last check.
  private func look() -> Bool {
    seen.withLock { seen in
      let found = Self.read(descriptor)
      defer { seen = found }
      return found != seen
    }
  }

  private func watchFile(_ look: @escaping @Sendable () -> Void) -> Bool {
    let watcher = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard watcher >= 0 else { return false }
    guard inotify_add_watch(watcher, path, UInt32(IN_MODIFY)) >= 0 else {
      close(watcher)
      return false
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: watcher, queue: queue.dispatch)
    source.setEventHandler {
      var events = [UInt8](repeating: 0, count: 4096)
      while Glibc.read(watcher, &events, events.count) > 0 {}
      look()
    }
    source.setCancelHandler { close(watcher) }
    self.source = source
    source.activate()
    return true
  }

  private static func read(_ descriptor: Int32) -> UInt64 {
    var counter: UInt64 = 0
    // A file that is empty still counts from zero.
    return pread(descriptor, &counter, MemoryLayout.size(ofValue: counter), 0)
      == MemoryLayout.size(ofValue: counter)
      ? UInt64(littleEndian: counter) : 0
  }
}
