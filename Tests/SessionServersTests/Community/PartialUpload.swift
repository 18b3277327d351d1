import Dispatch
import Glibc
import SessionCore
import Testing

/// A connection over which a request goes piece by piece. What blocks does so on a thread of its own.
final class PartialUpload: Sendable {
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "session.tests.upload")

  init(to address: NetworkAddress) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var inet = sockaddr_in()
    inet.sin_family = sa_family_t(AF_INET)
    inet.sin_port = address.port.bigEndian
    withUnsafeMutableBytes(of: &inet.sin_addr) { $0.copyBytes(from: address.hostBytes) }
    let isConnected = withUnsafePointer(to: inet) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) async {
    await withCheckedContinuation { waiting in
      queue.async { [descriptor] in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard count > 0 else { break }
          rest = rest.dropFirst(count)
        }
        waiting.resume()
      }
    }
  }

  /// The status of the answer; nil if the server hangs up.
  func status() async -> Int? {
    await withCheckedContinuation { waiting in
      queue.async { [descriptor] in
        var bytes = [UInt8](repeating: 0, count: 12)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_WAITALL))
        let words = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: " ")
        waiting.resume(returning: words.dropFirst().first.flatMap { Int($0) })
      }
    }
  }

  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
