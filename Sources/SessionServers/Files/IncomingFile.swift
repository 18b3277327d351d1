internal import CLinux
import Glibc
import Synchronization

/// Content that is on the device and has no name by which anybody finds it. It is gone if it never gets one.
final class IncomingFile: Sendable {
  /// Nil once it has its name.
  private let path: Mutex<String?>

  init(_ content: [UInt8], in folder: String) throws(FileStoreFailure) {
    var template = Array("\(folder)/XXXXXX".utf8CString)
    let descriptor = mkostemp(&template, O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("cannot make a file") }
    path = Mutex(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    defer { close(descriptor) }
    try Self.write(content, to: descriptor)
    guard fsync(descriptor) == 0 else { throw .system("cannot write a file") }
  }

  deinit { path.withLock { path in if let path { unlink(path) } } }

  func move(to place: String) throws(FileStoreFailure) {
    try path.withLock { (path) throws(FileStoreFailure) in
      guard let current = path else { return }
      guard rename(current, place) == 0 else { throw .system("cannot name a file") }
      path = nil
    }
  }

  private static func write(_ content: [UInt8], to descriptor: Int32) throws(FileStoreFailure) {
    var written = 0
    while written < content.count {
      let count = content.withUnsafeBytes { bytes in
        Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count >= 0 || errno == EINTR else { throw .system("cannot write a file") }
      written += max(count, 0)
    }
  }
}
