import Glibc
import SessionBase
import SessionNodeCore
import SessionService
import SessionStorage

/// Where a pysogs server keeps what it has.
struct PysogsPlace: Sendable {
  private static let maxSettings = 1_000_000

  /// Where its rows are.
  enum Rows: Hashable {
    case file(String)
    case server(PostgreSQLAddress)
  }

  let rows: Rows
  let key: String
  /// The folder of the files.
  let uploads: String
  /// The folder that relative paths begin in.
  let base: String
  let settings: PysogsSettings

  /// Finds a server by its folder, its `sogs.ini`, or its database, whose key and files may be elsewhere.
  init(_ path: String, key: String?, uploads: String?) throws {
    if PostgreSQLAddress.isAddress(path) {
      guard let key, let uploads else { throw CommunityImportFailure.placesNeeded }
      (rows, self.key, self.uploads) = (.server(try PostgreSQLAddress(path)), key, uploads)
      (base, settings) = (Folder.of(uploads), PysogsSettings())
      return
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
    let url = isFolder || file != nil ? Self.withoutDriver(settings.database ?? "sqlite:///sogs.db") : nil
    if let url, PostgreSQLAddress.isAddress(url) {
      rows = .server(try Self.address(url, in: file ?? path))
    } else {
      rows = .file(try url.map { resolved(try Self.databasePath($0)) } ?? path)
    }
    self.key = key ?? resolved(settings.key ?? "key_x25519")
    self.uploads = uploads ?? resolved(settings.uploads ?? "uploads")
    if case .file(let database) = rows, !OpenFile.exists(database) {
      throw CommunityImportFailure.notFound(path)
    }
  }

  /// The address that a file names.
  private static func address(_ url: String, in file: String) throws -> PostgreSQLAddress {
    do throws(StorageError) { return try PostgreSQLAddress(url) } catch {
      if error.code == .value { throw CommunityImportFailure.address(file) }
      throw error
    }
  }

  /// A URL whose scheme names no driver, as `postgresql+psycopg2://` does.
  private static func withoutDriver(_ url: String) -> String {
    guard let end = url.firstRange(of: "://"), let plus = url[..<end.lowerBound].firstIndex(of: "+") else {
      return url
    }
    return String(url[..<plus] + url[end.lowerBound...])
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

  /// Opens the database for reading; one in a file as a copy in a folder, so that the old one does not change. Throws
  /// `isRunning` if another process uses it.
  func open(copyingTo folder: String) throws -> ForeignDatabase {
    switch rows {
    case .file(let path):
      try expectNoUser(of: path)
      return try ForeignDatabase(try copy(path, to: folder))
    case .server(let address):
      let database = try ForeignDatabase(address)
      guard try database.read({ try $0.otherClients() }) == 0 else {
        throw CommunityImportFailure.isRunning("\(address)")
      }
      return database
    }
  }

  /// Removes what `open` has left in a folder.
  func removeCopy(in folder: String) throws {
    for ending in ["", "-wal", "-shm", "-journal"] { try Folder.remove(folder + Self.copyName + ending) }
  }

  /// Copies the file of words that are not to be said into a folder. Returns its name there; nil if it cannot be read.
  func copyWords(to folder: String) -> String? {
    guard let path = settings.words,
      let text = try? OpenFile(reading: path.hasPrefix("/") ? path : "\(base)/\(path)")
        .readAll(upTo: Self.maxSettings),
      (try? PendingFile.write(text.span, to: "\(folder)/\(Self.wordsName)")) != nil
    else { return nil }
    return Self.wordsName
  }

  private static let wordsName = "filter-words.txt"
  private static let copyName = "/old.db"

  /// Throws `isRunning` if a process holds a lock of a database or its log.
  private func expectNoUser(of database: String) throws {
    for path in [database, database + "-shm"] where OpenFile.exists(path) {
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
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

  /// Copies a database with its log into a folder. Returns its path there.
  private func copy(_ database: String, to folder: String) throws -> String {
    let copy = folder + Self.copyName
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
