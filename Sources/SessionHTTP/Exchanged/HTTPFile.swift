import Glibc

/// An open file that is sent as a response; closed after its last use.
public final class HTTPFile: Sendable {
  public let size: Int
  let descriptor: Int32
  /// Kept until the file is closed.
  private let held: (any Sendable)?

  /// Opens a regular file; nil if that fails.
  public convenience init?(reading path: String) { self.init(reading: path, holding: nil) }

  /// Opens a regular file, and keeps something as long as it is open; nil if that fails.
  package init?(reading path: String, holding held: (any Sendable)?) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    (self.descriptor, self.held) = (descriptor, held)
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// All of it; nil where it cannot be read.
  public func readAll() -> [UInt8]? { readBeginning(size) }

  /// Its first bytes, or all of a smaller file; nil where they cannot be read.
  package func readBeginning(_ limit: Int) -> [UInt8]? {
    let wanted = min(limit, size)
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { memory, filled in
      while count < memory.count, let start = memory.baseAddress {
        let read = pread(descriptor, start + count, memory.count - count, off_t(count))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { break }
        count += read
      }
      filled = count
    }
    return count == wanted ? bytes : nil
  }
}
