import Glibc
import SessionBase

/// The least that a server costs: a thread that writes back whatever it reads.
enum Echo {
  static func start() -> LineConnection {
    var pair: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
      fatalError("the system has no socket left")
    }
    let other = pair[1]
    let hasStarted = OwnThread.start {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(other, &buffer, buffer.count), count > 0 {
        var rest = buffer[..<count]
        while !rest.isEmpty {
          let written = rest.withUnsafeBytes { write(other, $0.baseAddress, $0.count) }
          guard written > 0 else { return }
          rest = rest.dropFirst(written)
        }
      }
    }
    guard hasStarted else { fatalError("the system has no thread left") }
    return LineConnection(adopting: pair[0])
  }
}
