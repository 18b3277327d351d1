import Dispatch
import Glibc
import SessionBase
import Synchronization

/// Appends events to the log. Other programs may write to the same files.
///
/// A caller never waits for the disk, and a full disk stops the log, not the program.
final class LogWriter: Sendable {
  private struct Key: Hashable {
    let account: Int?
    let event: ClientLog.Event
  }

  private struct State {
    var file: (descriptor: Int32, path: String)?
    /// Events that were written a short time ago, with the number of times that they happened since.
    var recent: [Key: Int] = [:]
    /// Nothing is written before that time, because the last attempt failed.
    var retryAt: Int64 = .min
  }

  /// How long a repeated event is counted instead of written.
  private static let quiet = Duration.seconds(10)
  /// The most events that wait for the disk; further ones are lost.
  private static let maxWaiting = 1000

  private let folder: LogFolder
  private let levels: Mutex<LogLevels>
  private let now: @Sendable () -> Int64
  /// For how many days the log is kept, asked when files may have to go.
  private let days: @Sendable () -> Int
  private let queue = WorkerQueue("session.log")
  private let waiting = Mutex(0)
  private let state = Mutex(State())

  init(
    _ folder: LogFolder, levels: LogLevels = LogLevels(),
    now: @escaping @Sendable () -> Int64 = { Int64(clamping: MachineClock.wallMilliseconds) },
    keepingDays days: @escaping @Sendable () -> Int = { LogFolder.days }
  ) {
    self.days = days
    self.folder = folder
    self.levels = Mutex(levels)
    self.now = now
  }

  deinit { if let file = state.withLock({ $0.file.take() }) { Glibc.close(file.descriptor) } }

  /// The log for an account, by its number; nil for events of no account.
  func log(of account: Int? = nil) -> ClientLog {
    ClientLog { [weak self] event in self?.take(Key(account: account, event: event)) }
  }

  private func take(_ key: Key) {
    guard levels.withLock({ $0.admit(key.event) }) else { return }
    let hasRoom = waiting.withLock { waiting in
      guard waiting < Self.maxWaiting else { return false }
      waiting += 1
      return true
    }
    guard hasRoom else { return }
    let time = now()
    queue.post { [self] in
      waiting.withLock { $0 -= 1 }
      note(key, at: time)
    }
  }

  /// What is logged from now on.
  func set(_ levels: LogLevels) { self.levels.withLock { $0 = levels } }

  /// Returns when all events that were logged before are in the file, with those that were counted.
  func flush() async {
    await queue.run { [self] in
      for (key, count) in state.withLock({ $0.recent }) where count > 0 { writeRepeats(of: key) }
      if let file = state.withLock({ $0.file }) { fsync(file.descriptor) }
    }
  }

  // MARK: - On the queue

  private func note(_ key: Key, at time: Int64) {
    let isNew = state.withLock { state in
      guard let count = state.recent[key] else {
        state.recent[key] = 0
        return true
      }
      state.recent[key] = count + 1
      return false
    }
    guard isNew else { return }
    write(LogLine(time: time, process: getpid(), account: key.account, key.event))
    queue.dispatch.asyncAfter(deadline: .now() + Double(Self.quiet.components.seconds)) { [weak self] in
      self?.writeRepeats(of: key)
    }
  }

  private func writeRepeats(of key: Key) {
    guard let count = state.withLock({ $0.recent.removeValue(forKey: key) }), count > 0 else { return }
    write(LogLine(time: now(), process: getpid(), account: key.account, key.event, repeats: count))
  }

  private func write(_ line: LogLine) {
    let bytes = Array((line.json + "\n").utf8)
    guard bytes.count <= LogLine.maxLength else { return }
    state.withLock { state in
      guard line.time >= state.retryAt else { return }
      guard let descriptor = descriptor(in: &state, at: line.time),
        Glibc.write(descriptor, bytes, bytes.count) == bytes.count
      else {
        state.retryAt = line.time + Self.quiet.milliseconds
        return
      }
      if line.event.level == .error { fsync(descriptor) }
    }
  }

  /// The open file of the day. Another program may have renamed it.
  private func descriptor(in state: inout State, at time: Int64) -> Int32? {
    let path = folder.file(at: time)
    if let file = state.file, file.path == path, Self.isSame(file.descriptor, path) {
      guard LogFolder.size(of: path) >= LogFolder.maxFile else { return file.descriptor }
      rotate(path)
    }
    if let file = state.file.take() { Glibc.close(file.descriptor) }
    guard (try? PrivateFolder.prepare(folder.path)) != nil else { return nil }
    if !OpenFile.exists(path) { folder.prune(at: time, keeping: days()) }
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    state.file = (descriptor, path)
    return descriptor
  }

  private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino
      && own.st_dev == named.st_dev
  }

  /// Makes the file of a day the older one, unless another program does so.
  private func rotate(_ path: String) {
    guard let lock = try? FileLock("\(folder.path)/lock", of: "the log", purpose: "rotation") else { return }
    if LogFolder.size(of: path) >= LogFolder.maxFile { rename(path, LogFolder.older(path)) }
    withExtendedLifetime(lock) {}
  }
}
