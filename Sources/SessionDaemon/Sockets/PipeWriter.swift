internal import CSpawn
import Glibc
import SessionBase

/// The writing end of a pipe, whose other end another process reads. One task at a time writes.
final class PipeWriter: Sendable {
  private let descriptor: Int32
  private let watch: SocketLoop.Watch

  /// Makes a pipe. The end for reading waits for bytes, as programs expect it.
  static func open() throws(FileError) -> (reading: PassedFile, writing: PipeWriter) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw .system(.device, "cannot create", "a pipe") }
    let reading = PassedFile(adopting: ends[0])
    guard fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else {
      close(ends[1])
      throw .system(.device, "cannot use", "a pipe")
    }
    return (reading, try PipeWriter(adopting: ends[1]))
  }

  private init(adopting descriptor: Int32) throws(FileError) {
    self.descriptor = descriptor
    _ = Self.breaksAreErrors
    do throws(FileError) { watch = try SocketLoop.shared.add(descriptor) } catch {
      close(descriptor)
      throw error
    }
  }

  /// A reader that goes shows as an error of the write, and does not end this process.
  private static let breaksAreErrors: Bool = {
    _ = signal(SIGPIPE, SIG_IGN)
    return true
  }()

  deinit {
    SocketLoop.shared.remove(descriptor)
    close(descriptor)
  }

  /// Writes all of the bytes, as fast as they are read. Throws `readerGone` if nothing reads them any more.
  func write(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      try Task.checkCancellation()
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: await SocketLoop.shared.wait(.writing, of: descriptor, watch)
      default: throw FileError(.readerGone, "the other side closed the pipe")
      }
    }
  }
}
