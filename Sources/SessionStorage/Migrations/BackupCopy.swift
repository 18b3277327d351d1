import Glibc

/// A copy of a database file as it was before something was thrown away: `.bak` beside it, one at a time.
struct BackupCopy {
  let file: DatabaseFile

  static let ending = ".bak"
  private static let pieceSize = 1 << 20

  var path: String { file.path + Self.ending }

  /// Copies the file as it is on the device, encrypted, while no process can write to it. The copy has its name only
  /// once it is whole.
  func make(_ statements: Statements) throws(StorageError) {
    // What is committed must be in the file itself before it is copied, and stay there alone.
    guard try statements.connection.checkpoint() else {
      throw StorageError(.busy, "\(file.path) is in use by another process, and has to be copied first")
    }
    do {
      try statements.begin("BEGIN IMMEDIATE")
      guard !file.hasLog else {
        throw StorageError(.busy, "\(file.path) is in use by another process, and has to be copied first")
      }
      try copy()
      statements.abort()
    } catch {
      statements.abort()
      throw (error as? StorageError) ?? StorageError(.io, "\(error)")
    }
  }

  private func copy() throws(StorageError) {
    let source = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard source >= 0 else { throw StorageError.system("open \(file.path)") }
    defer { close(source) }
    let unfinished = path + ".part"
    unlink(unfinished)
    let target = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw StorageError.system("create \(path)") }
    defer { close(target) }
    var error = copyAll(from: source, to: target)
    if error == nil, fsync(target) != 0 || rename(unfinished, path) != 0 { error = .system("write \(path)") }
    if let error {
      unlink(unfinished)
      throw error
    }
    file.synchronizeFolder()
  }

  private func copyAll(from source: Int32, to target: Int32) -> StorageError? {
    while true {
      let count = sendfile(target, source, nil, Self.pieceSize)
      if count == 0 { return nil }
      if count < 0, errno != EINTR { return .system("write \(path)") }
    }
  }
}
