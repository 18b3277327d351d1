import Glibc

/// The use of a database, shared by several processes or exclusive to one, which may then replace the file. Held
/// until the last reference goes or the process ends.
///
/// The lock is on the folder, which stays the same when the file is replaced. Closing it does not affect SQLite's
/// locks of the file.
final class DatabaseUse: Sendable {
  enum Share {
    case part
    case whole
  }

  private let descriptor: Int32

  /// Throws `locked` if another process prevents it; does not wait.
  init(_ share: Share, of file: DatabaseFile) throws(StorageError) {
    descriptor = open(file.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // If the folder cannot be opened, opening the file reports why.
    guard descriptor >= 0 else { return }
    guard flock(descriptor, (share == .part ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 else { return }
    let number = errno
    switch share {
    case .part where number == EWOULDBLOCK:
      throw StorageError(.locked, "\(file.path) is being replaced by another process")
    case .part: return
    case .whole where number == EWOULDBLOCK:
      throw StorageError(.locked, "\(file.path) is in use by another process")
    case .whole: throw .system("lock \(file.folder)", number)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // A process that is just being started has a copy of the descriptor, which would hold the lock for a moment.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
