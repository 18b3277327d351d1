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
    guard OpenFile.exists(database),
      let connection = try? SQLCipherConnection.open(
        database, key: key, for: .writing, busyTimeout: .zero)
    else { return false }
    defer { connection.close() }
    return (try? ArchiveTarget.position(of: id, Statements(connection))) != nil
  }

  /// Imports an archive into the folder, in which its key is. `finish` is called in the last transaction. Blocks its thread.
  /// Throws the first fault of the archive; what cannot be taken for itself is a problem in the report.
  public func run(
    _ header: ArchiveHeader, _ manifest: ArchiveManifest, key: DatabaseKey, opening secrets: [ArchiveSecret],
    next: () throws -> [UInt8], finish: (borrowing WriteTransaction) throws(StorageError) -> Void
  ) throws -> ArchiveReport {
    guard (1...Schema.account.version).contains(Int(clamping: manifest.schema)) else {
      throw StorageError(.newerSchema, "the archive needs a later version of this program")
    }
    let schema = Schema.account.upTo(Int(manifest.schema))
    let target = try ArchiveTarget(
      folder: folder, database: database, key: key, schema, settings: Set(settings), archive: header.id)
    do {
      let reading = try ArchiveReading.read(opening: secrets, next: next) { try target.take($0) }
      guard reading.manifest.account == manifest.account else {
        throw StorageError(.value, "another archive took the place of this one while it was read")
      }
      try target.finish(reading.manifest, finish)
      target.close()
      try migrate(key)
      return target.report
    } catch {
      // What was committed stays for the next attempt.
      target.close()
      throw error
    }
  }

  /// Brings the database to the newest schema, and checks it.
  private func migrate(_ key: DatabaseKey) throws {
    let database = try Database.open(self.database, key: key, schema: .account)
    let report = Result { try database.integrityCheck() }
    try database.close()
    if let damage = try report.get().damage.first { throw StorageError(.corrupt, damage) }
  }
}
