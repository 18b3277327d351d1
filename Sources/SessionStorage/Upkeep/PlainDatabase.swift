import Glibc
import SessionBase

/// Files of rows that are not encrypted, for the programs of others.
package enum PlainDatabase {
  /// Makes a file with the tables of a schema, and fills it. It appears under its name when it is whole; only its owner can
  /// read it. Throws `duplicate` if there is a file of this name.
  package static func write<R>(
    _ path: String, schema: Schema, fill: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    guard !OpenFile.exists(path) else { throw StorageError(.duplicate, "\(path) already exists") }
    guard let (file, pending) = OpenFile.temporary("\(path).", name: path) else {
      throw StorageError.system("create \(path)")
    }
    do {
      let result = try write(to: pending, schema, fill)
      try StorageError.files { () throws(FileError) in try file.synchronize() }
      guard rename(pending, path) == 0 else { throw StorageError.system("create \(path)") }
      try StorageError.files { () throws(FileError) in try Folder.synchronize(Folder.of(path)) }
      return result
    } catch {
      unlink(pending)
      throw error
    }
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
