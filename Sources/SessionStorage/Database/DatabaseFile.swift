import CLinux
import Glibc
import SessionBase

/// The file of a database before SQLite opens it: checks of its form, owner and permissions.
struct DatabaseFile {
  let path: String

  /// The suffixes of the companion files of an open database.
  static let companions = ["-wal", "-shm", "-journal"]

  /// The size of pages, and the start of an unencrypted database.
  static let pageSize = 4096
  private static let plainBeginning = Array("SQLite format 3\0".utf8)

  /// File systems where several machines write, whose locks and shared memory cannot be relied on.
  static func isShared(_ kind: Int) -> Bool {
    // NFS, SMB, CIFS, SMB2, 9p, AFS, Ceph
    [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x5346_414F, 0x00C3_6400].contains(kind)
  }

  /// Creates the file, empty and for its owner alone, if it is missing and may be created; refuses a file that
  /// cannot be our database.
  func prepare(mayCreate: Bool) throws(StorageError) {
    var status = stat()
    if lstat(path, &status) != 0 {
      guard errno == ENOENT else { throw refused(errno) }
      guard mayCreate else { throw StorageError(.missing, "there is no database at \(path)") }
      try create()
      guard lstat(path, &status) == 0 else { throw refused(errno) }
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StorageError(.cannotOpen, "\(path) is not a file, or a link to one")
    }
    guard status.st_uid == geteuid() else {
      throw StorageError(.cannotOpen, "\(path) belongs to another user")
    }
    // The log is created next to the file; SQLite would only say that it cannot open it.
    guard access(path, R_OK | W_OK) == 0, access(folder, W_OK) == 0 else { throw refused(errno) }
    var fileSystem = statfs()
    if statfs(path, &fileSystem) == 0, Self.isShared(Int(fileSystem.f_type)) {
      throw StorageError(
        .networkFileSystem, "\(path) is on a network file system, which can damage a database")
    }
    guard mayCreate || status.st_size > 0 else {
      throw StorageError(.notADatabase, "\(path) is empty: the database was lost")
    }
    try judgeShape(size: Int(status.st_size))
  }

  /// The folder of the file.
  var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

  /// Checks that need no key.
  private func judgeShape(size: Int) throws(StorageError) {
    guard size > 0 else { return }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw refused(errno) }
    defer { Glibc.close(descriptor) }
    var beginning = [UInt8](repeating: 0, count: Self.plainBeginning.count)
    let got = pread(descriptor, &beginning, beginning.count, 0)
    if got == beginning.count, beginning == Self.plainBeginning {
      throw StorageError(.notEncrypted, "\(path) is a database that is not encrypted")
    }
    // A file that the program was just making when the power went is taken back by the engine.
    guard size >= Self.pageSize || hasJournal else {
      throw StorageError(
        .notADatabase, "\(path) is too short to be a database: it is something else or was truncated")
    }
  }

  private func create() throws(StorageError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // Another process may have been faster, which is as good.
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw refused(errno) }
      return
    }
    Glibc.close(descriptor)
  }

  private func refused(_ number: Int32) -> StorageError {
    .system("open \(path)", otherwise: .cannotOpen, number)
  }

  /// The size in bytes; 0 if the file is missing.
  var size: Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Deletes the file and its companions, if they exist.
  func remove() {
    for ending in [""] + Self.companions { unlink(path + ending) }
  }

  /// Renames a closed file in one step, replacing any file of the new name. Its content must be on the device.
  func rename(to name: String) throws(StorageError) {
    guard Glibc.rename(path, name) == 0 else { throw .system("give \(path) the name \(name)") }
    synchronizeFolder()
  }

  /// Returns once the names in the folder are on the device, where the file system can do that.
  func synchronizeFolder() {
    try? Folder.synchronize(folder)
  }

  private var hasJournal: Bool {
    var status = stat()
    return lstat(path + "-journal", &status) == 0 && status.st_size > 0
  }

  /// True if the log of the last use exists, because the program ended without closing the database, or is still
  /// running.
  var hasLog: Bool {
    var status = stat()
    return lstat(path + "-wal", &status) == 0 && status.st_size > 0
  }
}
