internal import CLinux
import Glibc

/// An open file, closed when the last reference goes.
package final class OpenFile: Sendable {
  private let descriptor: Int32
  private let name: String

  /// Takes over a descriptor; `name` is for messages.
  package init(adopting descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  package convenience init(reading path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.unreadable, "cannot open", path) }
    self.init(adopting: descriptor, name: path)
  }

  deinit { close(descriptor) }

  /// Returns the mode of a file that this user may read. The file is not opened: opening a FIFO waits for its writer.
  package static func mode(ofReadable path: String) throws(FileError) -> UInt32 {
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
      throw .system(.unreadable, "cannot open", path)
    }
    return status.st_mode
  }

  /// The size in bytes of what has that name; nil if nothing has it.
  package static func size(of path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// True if anything has that name.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// True if nothing has that name; false where that cannot be found out.
  package static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

  /// The next bytes, `count` at most; none at the end of the file.
  package func read(upTo count: Int) throws(FileError) -> [UInt8] {
    try fill(count) { (buffer) throws(FileError) in try readOnce(into: buffer) }
  }

  /// All that is left, refusing more than `limit` bytes.
  package func readAll(upTo limit: Int) throws(FileError) -> [UInt8] {
    let bytes = try fill(limit + 1) { (buffer) throws(FileError) in
      var filled = 0
      while filled < buffer.count {
        let got = try readOnce(into: UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(filled)))
        guard got > 0 else { break }
        filled += got
      }
      return filled
    }
    guard bytes.count <= limit else {
      throw FileError(.tooLarge, "\(name) is larger than the limit of \(limit) bytes")
    }
    return bytes
  }

  /// Writes all of the bytes.
  package func write(_ bytes: Span<UInt8>) throws(FileError) {
    let error: FileError? = bytes.withUnsafeBytes { buffer in
      var rest = buffer
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        } else if errno != EINTR {
          return .system(errno == EPIPE ? .readerGone : .unwritable, "cannot write", name)
        }
      }
      return nil
    }
    if let error { throw error }
  }

  func belong(to user: uid_t, _ group: gid_t) throws(FileError) {
    guard fchown(descriptor, user, group) == 0 else {
      throw .system(.unwritable, "cannot change the owner of", name)
    }
  }

  /// Returns when the bytes are on the device.
  package func synchronize() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw .system(.unwritable, "cannot write", name) }
  }

  private func readOnce(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw .system(.unreadable, "cannot read", name) }
    }
  }

  /// An array of the bytes that `read` writes into a buffer of `capacity` bytes.
  private func fill(
    _ capacity: Int, _ read: (UnsafeMutableRawBufferPointer) throws(FileError) -> Int
  ) throws(FileError) -> [UInt8] {
    var outcome: Result<Int, FileError> = .success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
      outcome = Result { () throws(FileError) in try read(UnsafeMutableRawBufferPointer(buffer)) }
      filled = (try? outcome.get()) ?? 0
    }
    _ = try outcome.get()
    return bytes
  }
}

extension OpenFile {
  /// Creates a file that only its owner may read or write, with a random end of its name; `name` is for messages. Returns
  /// nil, with `errno` set, when the system refuses.
  package static func temporary(_ beginning: String, name: String) -> (file: OpenFile, path: String)? {
    var template = Array("\(beginning)XXXXXX".utf8CString)
    let descriptor = mkostemp(&template, O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (OpenFile(adopting: descriptor, name: name), path)
  }
}
