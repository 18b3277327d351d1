internal import CLinux
import Glibc
import SessionBase
import Synchronization

/// A connected Unix or TCP socket of this machine. One task at a time reads, one writes.
final class StreamSocket: Sendable {
  /// The process at the other end.
  struct Peer: Hashable, Sendable {
    let process: Int32
    let user: UInt32
  }

  /// Bytes that arrived, and descriptors that came with them.
  struct Piece: Sendable {
    let bytes: [UInt8]
    let descriptors: [PassedFile]
  }

  private static let pieceSize = 65536

  let peer: Peer?
  private let descriptor: Int32
  private let watch: SocketLoop.Watch
  private let isClosed = Mutex(false)

  /// Takes over a connected descriptor that does not block.
  init(adopting descriptor: Int32) throws(FileError) {
    self.descriptor = descriptor
    var (process, user) = (Int32(0), UInt32(0))
    peer = linux_peer(descriptor, &process, &user) == 0 ? Peer(process: process, user: user) : nil
    do throws(FileError) { watch = try SocketLoop.shared.add(descriptor) } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Connects. Throws `unreadable` if no program listens there.
  static func connect(to path: String) throws(FileError) -> StreamSocket {
    let descriptor = linux_unix_socket()
    guard descriptor >= 0 else { throw .system(.device, "cannot create", "a socket") }
    let address: UnixAddress
    do throws(FileError) { address = try UnixAddress(path) } catch {
      Glibc.close(descriptor)
      throw error
    }
    guard address.withSockaddr({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let error = FileError.system(.unreadable, "cannot connect to", path)
      Glibc.close(descriptor)
      throw error
    }
    return try StreamSocket(adopting: descriptor)
  }

  /// Two sockets that are connected with each other.
  static func pair() throws(FileError) -> (StreamSocket, StreamSocket) {
    var descriptors: [Int32] = [0, 0]
    guard linux_unix_pair(&descriptors) == 0 else { throw .system(.device, "cannot create", "a socket") }
    let first: StreamSocket
    do throws(FileError) { first = try StreamSocket(adopting: descriptors[0]) } catch {
      Glibc.close(descriptors[1])
      throw error
    }
    return (first, try StreamSocket(adopting: descriptors[1]))
  }

  deinit { close() }

  func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    SocketLoop.shared.remove(descriptor)
    Glibc.close(descriptor)
  }

  /// Says that nothing more is written; what the other side still writes can be read.
  func endWriting() { isClosed.withLock { if !$0 { shutdown(descriptor, Int32(SHUT_WR)) } } }

  /// The next bytes; nil at the end. Throws `unreadable` if the connection broke, and `CancellationError`.
  func read() async throws -> Piece? {
    while true {
      try Task.checkCancellation()
      var descriptors = [Int32](repeating: -1, count: Int(LINUX_MAX_PASSED))
      var (count, isCut) = (0, Int32(0))
      var received = 0
      let bytes = isClosed.withLock { isClosed -> [UInt8]? in
        guard !isClosed else { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
          received = linux_receive(
            descriptor, buffer.baseAddress, buffer.count, &descriptors, &count, &isCut)
          filled = max(received, 0)
        }
        return received < 0 ? nil : bytes
      }
      let failure = errno
      let passed = descriptors.prefix(count).map { PassedFile(adopting: $0) }
      if isCut != 0 { throw FileError(.device, "too many descriptors came at once") }
      if let bytes { return bytes.isEmpty ? nil : Piece(bytes: bytes, descriptors: passed) }
      switch failure {
      case EINTR: continue
      case EAGAIN: await SocketLoop.shared.wait(.reading, of: descriptor, watch)
      case ECONNRESET: return nil
      default: throw FileError(.unreadable, "a connection broke: \(String(cString: strerror(failure)))")
      }
    }
  }

  /// Returns when the loop has found that bytes can be written, or the socket was closed.
  func untilWritable() async { await SocketLoop.shared.wait(.writing, of: descriptor, watch) }

  /// Writes all of the bytes, the descriptors with the first of them. Throws `readerGone` if the other side went. If it is
  /// cancelled in the middle, the connection is closed: what follows would continue a torn line.
  func write(_ bytes: [UInt8], _ files: [PassedFile] = []) async throws {
    var rest = bytes[...]
    var descriptors = files.map(\.descriptor)
    defer {
      withExtendedLifetime(files) {}
      if !rest.isEmpty, rest.count < bytes.count { close() }
    }
    while !rest.isEmpty {
      try Task.checkCancellation()
      let sent = isClosed.withLock { isClosed -> Int in
        guard !isClosed else {
          errno = EPIPE
          return -1
        }
        return rest.withUnsafeBytes { bytes in
          linux_send(descriptor, bytes.baseAddress, bytes.count, descriptors, descriptors.count)
        }
      }
      if sent >= 0 {
        rest = rest.dropFirst(sent)
        if sent > 0 { descriptors = [] }
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: await SocketLoop.shared.wait(.writing, of: descriptor, watch)
      default: throw FileError(.readerGone, "the other side closed the connection")
      }
    }
  }
}

/// An open file that one process passed to another; closed with the last reference.
package final class PassedFile: Sendable {
  let descriptor: Int32

  init(adopting descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a file to pass it on.
  init(reading path: String) throws(FileError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(.unreadable, "cannot open", path) }
  }

  /// A file without a name, with these bytes.
  init(holding bytes: [UInt8]) throws(FileError) {
    descriptor = linux_memory_file()
    guard descriptor >= 0 else { throw .system(.uncreatable, "cannot create", "a file in memory") }
    try append(bytes)
  }

  /// Appends to a file in memory.
  func append(_ bytes: [UInt8]) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else { throw .system(.unwritable, "cannot write to", "a file in memory") }
      rest = rest.dropFirst(written)
    }
  }

  deinit { close(descriptor) }

  /// The same file for reading from its beginning.
  func readOnly() throws(FileError) -> PassedFile {
    // The owner of a file in memory may open it again as its permissions allow.
    guard fchmod(descriptor, 0o400) == 0 else { throw .system(.device, "cannot protect", "a file in memory") }
    return try PassedFile(reading: path)
  }

  /// Names the file for as long as this exists.
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// True for a file with a length, in contrast to a pipe, a device, a folder or a socket, that the process which passed it
  /// could read: this program opens it again by its path, maybe with more rights.
  var isReadable: Bool {
    var status = stat()
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & Self.pathOnly == 0 && flags & O_ACCMODE != O_WRONLY
      && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// O_PATH, which Swift does not import.
  private static let pathOnly: Int32 = 0o10_000_000
}
