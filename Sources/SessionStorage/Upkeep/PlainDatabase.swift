import Glibc
import SessionBase

/// Files of rows that are not encrypted, for the programs of others.
package enum PlainDatabase {
  /// Makes a file with the tables of a schema, and fills it. It appears under its name when it is whole; only its owner can
  /// read it. Throws `duplicate` if there is a file of this name. Until then its name ends in ".part"; such a file
  /// that an interrupted call has left is used again. Throws `busy` if another call is writing it.
  package static func write<R>(
    _ path: String, schema: Schema, fill: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    guard !OpenFile.exists(path) else { throw StorageError(.duplicate, "\(path) already exists") }
    let pending = path + ".part"
    let descriptor = open(pending, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StorageError.system("create \(path)") }
    let file = OpenFile(adopting: descriptor, name: path)
    // The lock lasts as long as the file is open.
    defer { withExtendedLifetime(file) {} }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed(descriptor, pending) else {
      throw StorageError(.busy, "another program is writing \(path)")
    }
    guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
      throw StorageError.system("create \(path)")
    }
    do {
      let result = try write(to: pending, schema, fill)
      try StorageError.files { () throws(FileError) in try file.synchronize() }
      try name(pending, path)
      try StorageError.files { () throws(FileError) in try Folder.synchronize(Folder.of(path)) }
      return result
    } catch {
      unlink(pending)
      throw error
    }
  }

  /// False if the name means another file by now.
  private static func isNamed(_ descriptor: Int32, _ name: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && lstat(name, &named) == 0 && opened.st_dev == named.st_dev
      && opened.st_ino == named.st_ino
  }

  /// Gives a file its name, unless there is another one of this name.
  private static func name(_ pending: String, _ path: String) throws(StorageError) {
    if link(pending, path) == 0 {
      unlink(pending)
      return
    }
    let failure = errno
    guard failure != EEXIST, !OpenFile.exists(path) else {
      throw StorageError(.duplicate, "\(path) already exists")
    }
    // Not all file systems know links.
    if [EPERM, EOPNOTSUPP, ENOSYS].contains(failure), rename(pending, path) == 0 { return }
    throw StorageError.system("create \(path)", failure)
  }

  private static func write<R>(
    to path: String, _ schema: Schema, _ fill: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    let statements = Statements(try SQLCipherConnection.openPlain(path))
    defer { statements.close() }
    try Migrator(schema: schema, file: nil, confirming: .none).run(statements)
    do {
      try statements.begin(TransactionStatements.beginWriting)
      let result = try fill(WriteTransaction(statements: statements, log: TransactionLog()))
      try statements.end(TransactionStatements.commit)
      return result
    } catch {
      statements.abort()
      throw error
    }
  }
}
