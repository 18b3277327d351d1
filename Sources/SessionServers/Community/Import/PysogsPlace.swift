import Glibc
import SessionBase
import SessionNodeCore
import SessionService
import SessionStorage

/// Where a pysogs server keeps what it has.
struct PysogsPlace: Sendable {
  private static let maxSettings = 1_000_000

  let database: String
  let key: String
  /// The folder of the files.
  let uploads: String
  /// The folder that relative paths begin in.
  let base: String
  let settings: PysogsSettings

  /// Finds a server by its folder, its `sogs.ini`, or its database, whose key and files may be elsewhere.
  init(_ path: String, key: String?, uploads: String?) throws {
    guard !path.hasPrefix("postgresql:"), !path.hasPrefix("postgres:") else {
      throw CommunityImportFailure.otherDatabase
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw CommunityImportFailure.notFound(path) }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    base = isFolder ? path : Folder.of(path)
    let file = isFolder ? path + "/sogs.ini" : path.hasSuffix(".ini") ? path : nil
    if let file, OpenFile.exists(file) {
      let text = try OpenFile(reading: file).readAll(upTo: Self.maxSettings)
      settings = PysogsSettings(String(decoding: text, as: UTF8.self))
    } else {
      settings = PysogsSettings()
    }
    let (base, settings) = (base, settings)
    func resolved(_ path: String) -> String { path.hasPrefix("/") ? path : "\(base)/\(path)" }
    if isFolder || file != nil {
      database = resolved(try Self.databasePath(settings.database ?? "sqlite:///sogs.db"))
    } else {
      database = path
    }
    self.key = key ?? resolved(settings.key ?? "key_x25519")
    self.uploads = uploads ?? resolved(settings.uploads ?? "uploads")
    guard OpenFile.exists(database) else { throw CommunityImportFailure.notFound(path) }
  }

  /// The path in the URL of a database.
  private static func databasePath(_ url: String) throws -> String {
    let scheme = "sqlite:///"
    guard url.hasPrefix(scheme) else { throw CommunityImportFailure.otherDatabase }
    return String(url.dropFirst(scheme.count))
  }

  func keys() throws -> ExchangeKeys {
    guard let keys = try? ExchangeKeyFile(path: key).read() else { throw CommunityImportFailure.key(key) }
    return keys
  }

  /// Throws `isRunning` if a process holds a lock of the database or its log.
  func expectNoUser() throws {
    for path in [database, database + "-shm"] where OpenFile.exists(path) {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileError.system(.unreadable, "cannot open", path) }
      defer { close(descriptor) }
      // A lock of the whole file would meet any other one.
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type == F_UNLCK else {
        throw CommunityImportFailure.isRunning(database)
      }
    }
  }

  /// Copies the database with its log into a folder, where it can be opened without changing the old one. Returns its
  /// path.
  func copyDatabase(to folder: String) throws -> String {
    let copy = folder + "/old.db"
    for ending in ["", "-wal", "-journal"] where OpenFile.exists(database + ending) {
      let source = try OpenFile(reading: database + ending)
      let target = try PendingFile(for: copy + ending)
      while case let piece = try source.read(upTo: 1 << 20), !piece.isEmpty { try target.write(piece.span) }
      try target.commit()
    }
    return copy
  }

  /// The path of a file's content inside of the folder of files; nil if it is not there, or lies elsewhere.
  func content(at path: String) -> String? {
    guard let folder = Self.real(uploads) else { return nil }
    // Paths begin with the name of the folder, wherever that is now.
    let inFolder = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).last.map {
      String($0)
    }
    let candidates = [path.hasPrefix("/") ? path : "\(base)/\(path)", "\(uploads)/\(inFolder ?? path)"]
    return candidates.compactMap { Self.real($0) }.first { $0.hasPrefix(folder + "/") }
  }

  private static func real(_ path: String) -> String? {
    guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
