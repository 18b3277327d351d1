import Dispatch
import Glibc
import SessionCore

/// Bytes sent over TCP before this side stops sending, with a short timeout for the reply.
enum RawRequest {
  struct Refused: Error {}

  /// How long the server may be silent, where it may say nothing at all.
  private static let silence = timeval(tv_sec: 0, tv_usec: 50_000)

  /// Sends a request, and returns the bytes that the server sends before it falls silent.
  static func send(
    _ request: [UInt8], to address: NetworkAddress, silence: timeval = silence
  ) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { waiting in
      // Blocking calls need a thread of their own: the server runs in this process too, on the shared threads.
      DispatchQueue(label: "session.tests.peer").async {
        waiting.resume(with: Result { try exchange(request, with: address, silence) })
      }
    }
  }

  /// The status that the server answers a request for a path with, whatever the path is.
  static func status(of method: String, _ path: String, at address: NetworkAddress) async throws -> Int? {
    let request = Array("\(method) \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
    // The server closes the connection after its answer.
    let silence = timeval(tv_sec: 600, tv_usec: 0)
    let answer = String(decoding: try await send(request, to: address, silence: silence), as: UTF8.self)
    return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  private static func exchange(
    _ request: [UInt8], with address: NetworkAddress, _ silence: timeval
  ) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var inet = sockaddr_in()
    inet.sin_family = sa_family_t(AF_INET)
    inet.sin_port = address.port.bigEndian
    withUnsafeMutableBytes(of: &inet.sin_addr) { $0.copyBytes(from: address.hostBytes) }
    let isConnected = withUnsafePointer(to: inet) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw Refused() }
    var timeout = silence
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    _ = request.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { return answer }
      answer += piece[..<count]
    }
  }
}
