internal import CSpawn
import Glibc

/// A file in memory that a player can read and move about in, because some recordings begin with their end.
final class SoundMemory: Sendable {
  private let file: Int32

  init() throws(CommandFailure) {
    file = spawn_memory()
    guard file >= 0 else { throw Self.failure }
  }

  deinit { close(file) }

  private static var failure: CommandFailure {
    CommandFailure(
      status: .system, message: "no memory for the recording: \(String(cString: strerror(errno)))")
  }

  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { throw Self.failure }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  /// The descriptor, to be read from the beginning.
  func rewound() -> Int32 {
    lseek(file, 0, SEEK_SET)
    return file
  }
}
