internal import CLinux
import Glibc
import SessionBase

/// A TCP socket that accepts connections of this machine.
final class LoopbackListener: Sendable {
  /// With the port that the system chose, where none was given.
  let address: LoopbackAddress
  /// True if the service manager made it.
  let isPassed: Bool
  private let socket: ListeningSocket

  /// Throws `inUse` if another program has the port.
  init(at wanted: LoopbackAddress) throws(FileError) {
    let descriptor = Glibc.socket(
      wanted.isIPv6 ? AF_INET6 : AF_INET,
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(.device, "cannot create", "a socket") }
    do throws(FileError) {
      var isOn: Int32 = 1
      // The port of a program that has just ended can be used at once.
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      guard wanted.withSockaddr({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
        throw .system(errno == EADDRINUSE ? .inUse : .device, "cannot listen at", wanted.url)
      }
      guard let address = LoopbackAddress(of: descriptor) else {
        throw .system(.device, "cannot look at", "a socket")
      }
      self.address = address
      isPassed = false
      socket = try ListeningSocket(adopting: descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Takes over a port that listens already.
  init(_ activated: ActivatedSockets.ActivatedPort) throws(FileError) {
    socket = try ListeningSocket(adopting: activated.descriptor)
    address = activated.address
    isPassed = !activated.isKept
  }

  /// A descriptor that goes on listening when this stops, also in a program that is started.
  func kept() throws(FileError) -> Int32 { try socket.kept() }

  func close() { socket.close() }

  /// The next connection; nil when it was closed, or the task is cancelled.
  func next() async -> StreamSocket? { await socket.next() }
}
