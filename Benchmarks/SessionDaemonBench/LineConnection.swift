import Glibc

/// A connection whose every call blocks, so that the other side is measured.
final class LineConnection {
  private let socket: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 20)

  init(adopting socket: Int32) { self.socket = socket }

  init(to path: String) {
    let made = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    socket = made
    let result = Self.withAddress(path) { connect(made, $0, $1) }
    guard result == 0 else { fatalError("nothing listens at \(path)") }
  }

  deinit { close(socket) }

  /// A socket that listens at a path, as the service manager makes it.
  static func listen(at path: String) -> Int32 {
    // Not number 3, which a program gets it as: it would be closed when that starts.
    let made = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let socket = fcntl(made, F_DUPFD_CLOEXEC, 10)
    close(made)
    unlink(path)
    guard withAddress(path, { bind(socket, $0, $1) }) == 0, Glibc.listen(socket, 16) == 0 else {
      fatalError("cannot listen at \(path)")
    }
    return socket
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Reads so many events, passing over replies. Returns the number of the last one.
  func events(_ count: Int) -> Int64 {
    var (missing, last) = (count, Int64(0))
    while missing > 0 {
      let line = nextLine()
      guard let place = line.firstRange(of: Array("\"cursor\":".utf8)),
        line.firstRange(of: Array("\"method\":\"event\"".utf8)) != nil
      else { continue }
      let digits = line[place.upperBound...].prefix { (48...57).contains($0) }
      last = Int64(String(decoding: digits, as: UTF8.self)) ?? last
      missing -= 1
    }
    return last
  }

  /// What was read behind the last line.
  private var rest: ArraySlice<UInt8> = []

  private func nextLine() -> ArraySlice<UInt8> {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
      }
      let count = Glibc.read(socket, &buffer, buffer.count)
      guard count > 0 else { fatalError("the connection ended") }
      rest = ArraySlice(Array(rest) + buffer[..<count])
    }
  }

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
