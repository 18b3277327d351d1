import Glibc
public import SessionCore

/// A TCP connection of IPv4 without any HTTP. Its calls block: they are for threads that no task waits for.
public final class RawConnection: Sendable {
  public struct Refused: Error {}

  private let descriptor: Int32

  public init(to address: NetworkAddress) throws(Refused) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    // A thread that waits for a server that never replies or hangs up must end.
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
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

  deinit { close(descriptor) }

  /// Sends all of it, unless the other side hangs up.
  public func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// So many bytes, or fewer if the other side has no more or is silent for two minutes.
  public func receive(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
    return Array(bytes.prefix(max(received, 0)))
  }

  public func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
