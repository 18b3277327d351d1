import Glibc
import SessionBase
internal import SessionCore

/// The file with a database's key, plain or under a passphrase: 48 bytes are the key itself, any other content is a
/// ``WrappedKey`` as JSON.
///
/// Both forms have the same name, which is given to a new file in one step, so there is always exactly one of them.
struct KeyFile: Hashable, Sendable {
  enum Content: Sendable {
    case open(DatabaseKey)
    case wrapped(WrappedKey)
  }

  /// No form of the file is longer.
  static let sizeLimit = 4096

  let path: String

  /// Reads the key file. Throws `keyMissing` if there is none, `keyDamaged` if it has neither form.
  func read() throws(StorageError) -> Content {
    var bytes = try readBytes()
    defer { bytes.wipe() }
    guard bytes.count == DatabaseKey.byteCount + DatabaseKey.saltByteCount else {
      return .wrapped(try WrappedKey(json: bytes, path: path))
    }
    let secret = try StorageError.keys("cannot keep the key in memory") { () throws(SessionError) in
      try SecretBytes(copying: bytes)
    }
    return .open(try DatabaseKey(secret))
  }

  /// Replaces the file and overwrites its old content, as far as the disk allows.
  func write(_ content: Content) throws(StorageError) {
    let old = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    defer { if old >= 0 { close(old) } }
    var bytes = try bytes(of: content)
    defer { bytes.wipe() }
    try StorageError.files("cannot write the key file") { () throws(FileError) in
      try PendingFile.write(bytes.span, to: path, replacing: true)
    }
    if old >= 0 { Self.overwrite(old) }
  }

  func remove() throws(StorageError) {
    let old = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    defer { if old >= 0 { close(old) } }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .system("remove \(path)")
    }
    if old >= 0 { Self.overwrite(old) }
    try StorageError.files("cannot remove the key file") { () throws(FileError) in
      try Folder.synchronize(Folder.of(path))
    }
  }

  /// Replacing overwrites the old file, so a concurrent read may return zeros: read again.
  private func readBytes() throws(StorageError) -> [UInt8] {
    while true {
      if let bytes = try readUnlessReplaced() { return bytes }
    }
  }

  private func readUnlessReplaced() throws(StorageError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { throw StorageError(.keyMissing, "there is no key file \(path)") }
      throw .system("open \(path)", otherwise: .cannotOpen)
    }
    let file = OpenFile(adopting: descriptor, name: path)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
    else {
      throw StorageError(.keyDamaged, "\(path) is not a file, or not yours")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw StorageError(
        .keyExposed,
        "others can read or change \(path); run: chmod 600 \(path), and consider "
          + "whether somebody has read it")
    }
    do throws(FileError) {
      let bytes = try file.readAll(upTo: Self.sizeLimit)
      let isThere = withExtendedLifetime(file) { fstat(descriptor, &status) == 0 && status.st_nlink > 0 }
      return isThere ? bytes : nil
    } catch  where error.code == .tooLarge {
      throw StorageError(.keyDamaged, "\(path) is not a key file: it is too long for one")
    } catch {
      throw StorageError(.io, error.message)
    }
  }

  private func bytes(of content: Content) throws(StorageError) -> [UInt8] {
    switch content {
    case .wrapped(let key): try key.json
    case .open(let key): try key.withSalt().reveal()
    }
  }

  /// Overwrites the old key, so that no free block of the disk contains it. Disks that remap writes may keep it anyway, so
  /// nothing depends on this.
  private static func overwrite(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink == 0 else { return }
    let zeros = [UInt8](repeating: 0, count: min(Int(status.st_size), sizeLimit))
    _ = pwrite(descriptor, zeros, zeros.count, 0)
    fsync(descriptor)
  }
}
