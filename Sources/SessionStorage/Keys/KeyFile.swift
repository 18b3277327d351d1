import Glibc
import SessionBase
internal import SessionCore

/// The file with a database's key: ``KeySlots`` as JSON. Earlier versions wrote the key itself, 48 bytes, or a
/// ``WrappedKey`` as JSON; these files stay as they are until the key is protected in another way.
///
/// All forms have the same name, which is given to a new file in one step, so there is always exactly one of them.
struct KeyFile: Hashable, Sendable {
  enum Content: Sendable {
    case open(DatabaseKey)
    case wrapped(WrappedKey)
    case slots(KeySlots)
  }

  /// No form of the file is longer.
  static let sizeLimit = 16 << 10

  let path: String

  /// Reads the key file. Throws `keyMissing` if there is none, `keyDamaged` if it has none of the forms.
  func read() throws(StorageError) -> Content {
    var bytes = try readBytes()
    defer { bytes.wipe() }
    guard bytes.count == DatabaseKey.byteCount + DatabaseKey.saltByteCount, !Self.isText(bytes) else {
      guard let json = try? JSONReader.value(of: bytes, maxValues: Self.maxValues), json["slots"] != nil
      else {
        return .wrapped(try WrappedKey(json: bytes, path: path))
      }
      return .slots(try KeySlots(json: json, path: path))
    }
    let secret = try StorageError.keys("cannot keep the key in memory") { () throws(SessionError) in
      try SecretBytes(copying: bytes)
    }
    return .open(try DatabaseKey(secret))
  }

  private static let maxValues = 1024

  /// True for the beginning of a JSON object, such as a file that was cut to the length of a key. No random key is one.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.first == UInt8(ascii: "{") && bytes.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// What is written: slots, or the key itself for an earlier version of the program.
  enum NewContent: Sendable {
    case open(DatabaseKey)
    case slots(KeySlots)
  }

  /// Replaces the file and overwrites its old content, as far as the disk allows.
  func write(_ content: NewContent) throws(StorageError) {
    let old = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    defer { if old >= 0 { close(old) } }
    var bytes = try bytes(of: content)
    defer { bytes.wipe() }
    try StorageError.files("cannot write the key file") { () throws(FileError) in
      try PendingFile.write(bytes.span, to: path, replacing: true)
    }
    if old >= 0 { Self.overwrite(old) }
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

  private func bytes(of content: NewContent) throws(StorageError) -> [UInt8] {
    switch content {
    case .slots(let slots): return slots.bytes
    case .open(let key): return try key.withSalt().reveal()
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
