import Glibc

/// A connection whose every call blocks, so that the other side is measured.
final class LineConnection {
  private let socket: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 20)

  init(adopting socket: Int32) { self.socket = socket }

  init(to path: String) {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { fatalError("nothing listens at \(path)") }
  }

  deinit { close(socket) }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(socket, $0.baseAddress, $0.count) }
      guard count > 0 else { fatalError("the connection broke") }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads so many lines. Returns the last piece that was read.
  @discardableResult
  func read(lines: Int) -> ArraySlice<UInt8> {
    var (missing, last) = (lines, buffer[..<0])
    while missing > 0 {
      let count = Glibc.read(socket, &buffer, buffer.count)
      guard count > 0 else { fatalError("the connection ended") }
      last = buffer[..<count]
      missing -= last.count { $0 == UInt8(ascii: "\n") }
    }
    return last
  }

  /// Makes a call that has to succeed.
  func check(_ line: [UInt8]) {
    write(line)
    let reply = String(decoding: read(lines: 1), as: UTF8.self)
    guard !reply.contains("\"error\":{") else { fatalError("a call failed: \(reply)") }
  }

  /// One call, one reply.
  func exchange(_ line: [UInt8]) {
    write(line)
    read(lines: 1)
  }
}
