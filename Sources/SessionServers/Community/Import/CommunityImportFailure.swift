/// Why a server could not be imported.
public enum CommunityImportFailure: Error, Hashable, Sendable {
  /// There is no pysogs server at a path.
  case notFound(String)
  /// The old server keeps its rows neither in a file nor in PostgreSQL.
  case otherDatabase
  /// The address of a database was given, but not where the key and the files are.
  case placesNeeded
  /// The address of PostgreSQL in a `sogs.ini` cannot be used: it has a password, or is none.
  case address(String)
  /// The old server still uses its database.
  case isRunning(String)
  /// The tables are those of a version before 0.2, or of something else.
  case tooOld
  /// The database cannot be read, with the reason.
  case damaged(String)
  /// The key file is not there, or has another size.
  case key(String)
  /// There is something in the folder to import to.
  case folderInUse(String)
}

extension CommunityImportFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notFound(let path): "there is no pysogs server at \(path): neither sogs.ini nor a database"
    case .otherDatabase: "the server keeps its rows in a database that is neither of SQLite nor of PostgreSQL"
    case .placesNeeded: "give the old server's key and files, too: --key FILE --uploads FOLDER"
    case .address(let path):
      """
      the address of the database in \(path) has a password, or cannot be read; write HOST:PORT:NAME:USER:PASSWORD into \
      ~/.pgpass, and give a copy of the folder's sogs.ini whose url is postgresql://USER@HOST/NAME
      """
    case .isRunning(let path): "another process uses \(path): stop the old server first"
    case .tooOld:
      "the database is of a version before pysogs 0.2: start pysogs 0.3.7 with it once, stop it, and import then"
    case .damaged(let reason): "the database of the old server cannot be read: \(reason)"
    case .key(let path):
      "\(path) is not the key of a server: 32 bytes; without the old key no member finds the server again"
    case .folderInUse(let path): "\(path) is not an empty folder; a server is imported into a new one"
    }
  }
}
