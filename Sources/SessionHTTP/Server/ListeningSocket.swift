import Glibc
import SessionCore

/// A listening socket, closed unless it is taken.
struct ListeningSocket: ~Copyable {
  private static let backlog: Int32 = 511

  let address: NetworkAddress
  private let descriptor: Int32

  init(at wanted: NetworkAddress) throws(HTTPError) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(wanted.isIPv4 ? AF_INET : AF_INET6, kind, 0)
    guard descriptor >= 0 else { throw Self.failure() }
    do throws(HTTPError) {
      address = try Self.listen(descriptor, at: wanted)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Releases the socket to a new owner.
  consuming func take() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  private static func listen(
    _ descriptor: Int32, at address: NetworkAddress
  ) throws(HTTPError) -> NetworkAddress {
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isBound = address.withSocketAddress { bind(descriptor, $0, $1) == 0 }
    guard isBound, Glibc.listen(descriptor, backlog) == 0 else { throw failure() }
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let bound = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { form in
        getsockname(descriptor, form, &size) == 0 ? NetworkAddress(form) : nil
      }
    }
    guard let bound else { throw failure() }
    return bound
  }

  private static func failure() -> HTTPError {
    errno == EADDRINUSE ? .addressInUse : .cannotListen(String(cString: strerror(errno)))
  }
}
