import Glibc
import SessionCore

/// Bytes from a file that are waited for on a thread of its own, which others can wake.
final class WakingInput: Sendable {
  enum Arrival {
    case bytes([UInt8])
    case woken
    /// There is nothing more.
    case end
  }

  private static let pieceSize = 4096

  private let input: Int32
  private let bell: (hears: Int32, rings: Int32)

  init(_ input: Int32) throws(CommandFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw CommandFailure(
        status: .system, message: "too many files are open", advice: "Raise the limit with 'ulimit -n'.")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    self.input = input
    bell = (ends[0], ends[1])
  }

  deinit {
    close(bell.hears)
    close(bell.rings)
  }

  /// Wakes the reader. A full pipe has woken it already.
  func wake() {
    var byte: UInt8 = 0
    _ = write(bell.rings, &byte, 1)
  }

  /// Returns when there is something. Blocks its thread.
  func wait() -> Arrival {
    var files = [
      pollfd(fd: bell.hears, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&files, nfds_t(files.count), -1) < 0 {
      guard errno == EINTR else { return .end }
    }
    if files[0].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
      while read(bell.hears, &bytes, bytes.count) > 0 {}
      return .woken
    }
    var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
    let count = read(input, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return .woken }
    return count > 0 ? .bytes(Array(bytes[..<count])) : .end
  }
}
