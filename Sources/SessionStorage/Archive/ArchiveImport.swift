import Glibc
import SessionBase
public import SessionCore

/// The import of an archive into the folder of an account that is new on this machine.
///
/// The folder has its name only when all of it is there. An import that was interrupted goes on behind the last commit: the
/// archive is read again from its beginning, and what is there already is passed over.
public struct ArchiveImport: Sendable {
  /// The folder of the database and files, which is not yet that of an account.
  let folder: String
  /// The names of the settings that may travel.
  let settings: [String]

  public init(into folder: String, settings: [String]) {
    self.folder = folder
    self.settings = settings
  }

  private var database: String { "\(folder)/messages.db" }

  /// Reads the list of contents of an archive, and no more of it. Blocks its thread.
  public static func manifest(
    opening secrets: [ArchiveSecret], next: () throws -> [UInt8]
  ) throws -> ArchiveManifest {
    struct Read: Error { let manifest: ArchiveManifest }
    do {
      _ = try ArchiveReading.read(opening: secrets, next: next) { event in
        if case .manifest(let manifest) = event { throw Read(manifest: manifest) }
      }
    } catch let read as Read {
      return read.manifest
    }
    throw StorageError(.value, "an archive without a list of contents")
  }

  /// True if an import of this archive was interrupted in the folder.
  public func isBegun(_ id: [UInt8], key: DatabaseKey) -> Bool {
    let isUnderWay = try? inspect(key) { (statements) throws(StorageError) in
      try ArchiveTarget.position(of: id, statements)
    }
    return isUnderWay != nil || ended(id, key) != nil
  }

  /// What an import of this archive noted that was interrupted behind its last row or file; nil if none was.
  private func ended(_ id: [UInt8], _ key: DatabaseKey) -> ImportedArchive? {
    let found = try? inspect(key) { (statements) throws(StorageError) in
      try ReadTransaction(statements: statements).importedArchive(id)
    }
    return found ?? nil
  }

  private func inspect<R>(
    _ key: DatabaseKey, _ body: (Statements) throws(StorageError) -> R
  ) throws(StorageError) -> R? {
    guard OpenFile.exists(database) else { return nil }
    let statements = Statements(
      try SQLCipherConnection.open(database, key: key, for: .writing, busyTimeout: .zero))
    defer { statements.close() }
    return try body(statements)
  }

  /// Imports an archive into the folder, in which its key is. `finish` is called in the last transaction, once the database
  /// has the newest schema. Blocks its thread. Throws the first fault of the archive; what cannot be taken for itself is a
  /// problem in the report.
  public func run(
    _ header: ArchiveHeader, _ manifest: ArchiveManifest, key: DatabaseKey, opening secrets: [ArchiveSecret],
    next: () throws -> [UInt8], finish: (borrowing WriteTransaction, ArchiveReport) throws -> Void
  ) throws -> ArchiveReport {
    guard (1...Schema.account.version).contains(Int(clamping: manifest.schema)) else {
      throw StorageError(.newerSchema, "the archive needs a later version of this program")
    }
    if ended(header.id, key) == nil { try fill(header, manifest, key, secrets, next) }
    return try complete(header.id, key, finish)
  }

  /// Takes all rows and files.
  private func fill(
    _ header: ArchiveHeader, _ manifest: ArchiveManifest, _ key: DatabaseKey, _ secrets: [ArchiveSecret],
    _ next: () throws -> [UInt8]
  ) throws {
    let schema = Schema.account.upTo(Int(manifest.schema))
    let target = try ArchiveTarget(
      folder: folder, database: database, key: key, schema, settings: Set(settings), archive: header.id)
    // What was committed stays for the next attempt.
    defer { target.close() }
    let reading = try ArchiveReading.read(opening: secrets, next: next) { try target.take($0) }
    guard reading.manifest.account == manifest.account else {
      throw StorageError(.value, "another archive took the place of this one while it was read")
    }
    try target.finish(reading.manifest)
  }

  /// Brings the database to the newest schema, checks it, and adds what an account has.
  private func complete(
    _ archive: [UInt8], _ key: DatabaseKey,
    _ finish: (borrowing WriteTransaction, ArchiveReport) throws -> Void
  ) throws -> ArchiveReport {
    let database = try Database.open(self.database, key: key, schema: .account)
    let result = Result {
      try makeFound(in: database)
      if let damage = try database.integrityCheck().damage.first { throw StorageError(.corrupt, damage) }
      return try database.write { transaction in
        guard var noted = try transaction.importedArchive(archive) else {
          throw StorageError(.value, "the import left no report")
        }
        let report = noted.report
        guard !noted.isComplete else { return report }
        try finish(transaction, report)
        noted.isComplete = true
        try transaction.set(noted)
        return report
      }
    }
    try database.close()
    return try result.get()
  }

  /// The most messages in a transaction.
  private static let messagesTogether = 1000

  /// Makes the texts that are searched, which do not travel.
  private func makeFound(in database: Database) throws {
    var last: InteractionRecord.ID? = InteractionRecord.ID(rawValue: 0)
    while let place = last {
      last = try database.write { transaction in
        let messages = try transaction.interactions(after: place, limit: Self.messagesTogether)
        for message in messages { try transaction.makeFound(message, isNew: false) }
        return messages.last?.id
      }
    }
  }
}
