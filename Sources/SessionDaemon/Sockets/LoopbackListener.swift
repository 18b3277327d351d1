internal import CLinux
import Glibc
import SessionBase

/// A TCP socket that accepts connections of this machine.
final class LoopbackListener: Sendable {
  /// With the port that the system chose, where none was given.
  let address: LoopbackAddress
  private let socket: ListeningSocket

  /// Throws `inUse` if another program has the port.
  init(at wanted: LoopbackAddress) throws(FileError) {
    let descriptor = Glibc.socket(
      wanted.isIPv6 ? AF_INET6 : AF_INET,
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(.device, "cannot create", "a socket") }
    var port = wanted.port
    do throws(FileError) {
      var isOn: Int32 = 1
      // The port of a program that has just ended can be used at once.
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      guard wanted.withSockaddr({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
        throw .system(errno == EADDRINUSE ? .inUse : .device, "cannot listen at", wanted.url)
      }
      if port == 0 { port = try Self.port(of: descriptor) }
      socket = try ListeningSocket(adopting: descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    address = LoopbackAddress(isIPv6: wanted.isIPv6, port: port)
  }

  func close() { socket.close() }

  /// The next connection; nil when it was closed, or the task is cancelled.
  func next() async -> StreamSocket? { await socket.next() }

  private static func port(of descriptor: Int32) throws(FileError) -> UInt16 {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { throw .system(.device, "cannot look at", "a socket") }
    // The port is at the same place in both kinds of address.
    return UInt16(bigEndian: address.sin6_port)
  }
}
