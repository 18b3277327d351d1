internal import CLinux
import Glibc
import Synchronization

/// A file that one process at a time holds, until it is released, the last reference goes, or the process ends in whatever
/// way.
package final class FileLock: Sendable {
  /// The holder of a lock, as it describes itself.
  package struct Holder: Hashable, Sendable {
    package let process: Int32
    package let purpose: String
    /// The path of the socket on which it serves others; nil if it does not.
    package let socket: String?
  }

  private struct State {
    /// Negative once the lock was released.
    var descriptor: Int32
    /// True if the lock outlives this object, for the same program started anew.
    var isKept = false
  }

  private let state: Mutex<State>
  /// The length of the line that describes the holder.
  private let lineLength: Int

  /// Takes the lock, creating its file if needed. Throws `inUse`, which names `thing` and the holder, instead of waiting.
  /// One that this program kept when it started itself anew is held already.
  package init(_ path: String, of thing: String, purpose: String) throws(FileError) {
    let text = Array("\(getpid()) \(purpose)".utf8.prefix(Self.lineLimit - 1)) + [UInt8(ascii: "\n")]
    lineLength = text.count
    if let kept = KeptLocks.taken(path) {
      state = Mutex(State(descriptor: kept))
      // Other programs find the holder and its socket all the time.
      if !Self.begins(kept, with: text) { Self.write(text, to: kept) }
      return
    }
    let descriptor = Self.open(path)
    guard descriptor >= 0 else {
      throw FileError(.uncreatable, "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    guard linux_hold_alone(descriptor) == 0 else {
      defer { close(descriptor) }
      guard errno == EAGAIN || errno == EACCES else {
        throw FileError(.device, "cannot lock \(path): \(String(cString: strerror(errno)))")
      }
      let holder = Self.read(descriptor).map { "\($0.purpose) (process \($0.process))" } ?? "another process"
      throw FileError(.inUse, "\(thing) is in use by \(holder)")
    }
    state = Mutex(State(descriptor: descriptor))
    Self.write(text, to: descriptor)
  }

  /// If this fails, error messages cannot name the owner of the lock.
  private static func write(_ line: [UInt8], to descriptor: Int32) {
    ftruncate(descriptor, 0)
    pwrite(descriptor, line, line.count, 0)
  }

  private static func begins(_ descriptor: Int32, with line: [UInt8]) -> Bool {
    var bytes = [UInt8](repeating: 0, count: line.count)
    return pread(descriptor, &bytes, bytes.count, 0) == line.count && bytes == line
  }

  /// Keeps the lock, also when the last reference goes, until this process ends or the same program that it starts anew
  /// in its place takes it again.
  package func keep() {
    state.withLock { state in
      if state.descriptor >= 0, !state.isKept, KeptLocks.keep(state.descriptor) { state.isKept = true }
    }
  }

  /// Opens the file, or creates it. What root creates in the folder of another user belongs to that user, who could not
  /// take the lock otherwise, nor see that it is held.
  private static func open(_ path: String) -> Int32 {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
    let created = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
    guard created >= 0 else {
      // Another process may remove the file in between.
      return errno == EEXIST ? Glibc.open(path, flags | O_CREAT, 0o600) : created
    }
    var folder = stat()
    if geteuid() == 0, stat(Folder.of(path), &folder) == 0, folder.st_uid != 0 {
      fchown(created, folder.st_uid, folder.st_gid)
    }
    return created
  }

  deinit { release() }

  /// Releases the lock now, whatever still refers to it: a thread that has just done its work may keep one for a moment.
  /// A lock that is kept stays.
  package func release() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      if !state.isKept {
        // The file stays: removing it would let two processes lock two files of one name.
        ftruncate(state.descriptor, 0)
        // A process that is just being started has a copy of the descriptor, which would hold the lock for a moment.
        linux_let_go(state.descriptor)
      }
      close(state.descriptor)
      state.descriptor = -1
    }
  }

  /// Publishes the path of the socket on which the holder serves others; nil withdraws it. A path beyond the limit of a
  /// line is not published.
  package func tell(socket: String?) {
    let line = socket.map { Array("\($0)\n".utf8) } ?? []
    state.withLock { state in
      // Where it is there already, other programs see it all the time.
      guard state.descriptor >= 0, line.isEmpty || Self.read(state.descriptor)?.socket != socket
      else { return }
      ftruncate(state.descriptor, off_t(lineLength))
      guard !line.isEmpty, line.count <= Self.lineLimit else { return }
      pwrite(state.descriptor, line, line.count, off_t(lineLength))
    }
  }

  /// True if the lock is held.
  package static func isHeld(_ path: String) -> Bool { holder(of: path) != nil }

  /// The current holder of a lock, if any. Does not take the lock.
  package static func holder(of path: String) -> Holder? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return linux_is_alone(descriptor) == 0 ? read(descriptor) : nil
  }

  /// The longest of the two lines, in bytes.
  private static let lineLimit = 400

  private static func read(_ descriptor: Int32) -> Holder? {
    var bytes = [UInt8](repeating: 0, count: 2 * lineLimit)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let lines = bytes.prefix(count).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let words = String(decoding: lines[0], as: UTF8.self).split(separator: " ", maxSplits: 1)
    guard words.count == 2, let process = Int32(words[0]) else { return nil }
    // A line that is being written has no end yet.
    let socket = lines.count > 2 ? String(decoding: lines[1], as: UTF8.self) : nil
    return Holder(
      process: process, purpose: String(words[1]), socket: socket.flatMap { $0.hasPrefix("/") ? $0 : nil })
  }
}
