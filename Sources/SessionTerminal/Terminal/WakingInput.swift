import Glibc

/// Bytes from a file that are waited for on a thread of its own, which others can wake.
package final class WakingInput: Sendable {
  package enum Arrival: Sendable {
    case bytes([UInt8])
    case woken
    /// There is nothing more.
    case end
  }

  private static let pieceSize = 4096

  private let input: Int32
  private let bell: (hears: Int32, rings: Int32)

  /// Nil if too many files are open.
  package init?(_ input: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
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
  package func wake() {
    var byte: UInt8 = 0
    _ = write(bell.rings, &byte, 1)
  }

  /// Returns when there is something. Blocks its thread.
  package func wait() -> Arrival { wait(upTo: nil) ?? .end }

  /// Returns when there is something; nil if there was nothing for so many milliseconds. Blocks its thread.
  package func wait(milliseconds: Int) -> Arrival? { wait(upTo: Int32(clamping: max(milliseconds, 0))) }

  private func wait(upTo milliseconds: Int32?) -> Arrival? {
    var files = [
      pollfd(fd: bell.hears, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
    ]
    var count: Int32 = -1
    while count < 0 {
      count = poll(&files, nfds_t(files.count), milliseconds ?? -1)
      guard count >= 0 || errno == EINTR else { return .end }
    }
    guard count > 0 else { return nil }
    if files[0].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
      while read(bell.hears, &bytes, bytes.count) > 0 {}
      return .woken
    }
    var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
    let length = read(input, &bytes, bytes.count)
    if length < 0, errno == EINTR || errno == EAGAIN { return .woken }
    return length > 0 ? .bytes(Array(bytes[..<length])) : .end
  }
}
