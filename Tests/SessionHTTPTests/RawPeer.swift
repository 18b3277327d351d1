import Dispatch
import Glibc
import SessionCore

/// A TCP connection without any HTTP. What blocks does so on threads that no task waits for.
final class RawPeer: Sendable {
  private let descriptor: Int32

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
    guard isConnected else { throw Refused() }
  }

  struct Refused: Error {}

  deinit { close(descriptor) }

  func send(_ text: String) async {
    await aside { [descriptor] in
      _ = Array(text.utf8).withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Everything until the other side has nothing more to say.
  func readToEnd() async -> String {
    await aside { [descriptor] in
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { break }
        bytes += piece[..<count]
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func aside<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { waiting in
      DispatchQueue.global().async { waiting.resume(returning: body()) }
    }
  }
}
