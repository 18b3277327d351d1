import Glibc

/// A copy of a database file from before a destructive migration: `.bak` next to it, one at a time.
struct BackupCopy {
  let file: DatabaseFile

  static let ending = ".bak"
  private static let pieceSize = 1 << 20

  var path: String { file.path + Self.ending }

  /// Copies the file as it is on the device, encrypted, while no process can write to it. The copy has its name only
  /// once it is whole.
  func make(_ statements: Statements) throws(StorageError) {
    // All commits must be in the file itself before the copy, and none in the log.
    guard try statements.connection.checkpoint() else {
      throw StorageError(
        .busy, "\(file.path) is in use by another process, and must be copied before migrating")
    }
    do {
      try statements.begin("BEGIN IMMEDIATE")
      guard !file.hasLog else {
        throw StorageError(
          .busy, "\(file.path) is in use by another process, and must be copied before migrating")
      }
      try copy(through: statements.connection)
      statements.abort()
    } catch {
      statements.abort()
      throw (error as? StorageError) ?? StorageError(.io, "\(error)")
    }
  }

  private func copy(through connection: any SQLConnection) throws(StorageError) {
    let unfinished = path + ".part"
    unlink(unfinished)
    let target = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw StorageError.system("create \(path)") }
    defer { close(target) }
    do throws(StorageError) {
      try copyAll(from: connection, to: target)
      guard fsync(target) == 0, rename(unfinished, path) == 0 else { throw .system("write \(path)") }
    } catch {
      unlink(unfinished)
      throw error
    }
    file.synchronizeFolder()
  }

  private func copyAll(from connection: any SQLConnection, to target: Int32) throws(StorageError) {
    let size = file.size
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { piece.deallocate() }
    for offset in stride(from: 0, to: size, by: Self.pieceSize) {
      let part = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(size - offset))
      try connection.readFile(at: offset, into: part)
      try write(UnsafeRawBufferPointer(part), to: target)
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to target: Int32) throws(StorageError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(target, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      guard count >= 0 || errno == EINTR else { throw .system("write \(path)") }
      rest = rest.dropFirst(max(count, 0))
    }
  }
}
