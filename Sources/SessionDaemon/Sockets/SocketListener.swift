internal import CLinux
import Glibc
import SessionBase
import Synchronization

/// A Unix socket that accepts connections of its own user.
final class SocketListener: Sendable {
  let path: String
  private let descriptor: Int32
  /// True if another program made the socket, which then also removes it.
  private let isInherited: Bool
  private let isClosed = Mutex(false)

  /// Listens at a path, in a folder that only its owner may open. A file of that name is a leftover and is replaced: the
  /// caller ensures that no other program listens there.
  init(at path: String) throws(FileError) {
    self.path = path
    isInherited = false
    descriptor = linux_unix_socket()
    guard descriptor >= 0 else { throw .system(.device, "cannot create", "a socket") }
    do throws(FileError) {
      // The mode of the file comes from the socket.
      guard fchmod(descriptor, 0o600) == 0 else { throw .system(.device, "cannot protect", path) }
      unlink(path)
      let address = try UnixAddress(path)
      guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0 else {
        throw .system(.uncreatable, "cannot listen at", path)
      }
      guard listen(descriptor, 512) == 0 else { throw .system(.device, "cannot listen at", path) }
      try SocketLoop.shared.add(descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Takes over a listening socket that another program made.
  init(adopting descriptor: Int32, path: String) throws(FileError) {
    self.path = path
    self.descriptor = descriptor
    isInherited = true
    try SocketLoop.shared.add(descriptor)
  }

  deinit { close() }

  /// Stops listening.
  func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    if !isInherited { unlink(path) }
    SocketLoop.shared.remove(descriptor)
    Glibc.close(descriptor)
  }

  /// The next connection of this user; those of others are closed. Nil when the task is cancelled.
  func next() async -> UnixSocket? {
    while !Task.isCancelled {
      let accepted = isClosed.withLock { isClosed -> Int32? in isClosed ? nil : linux_accept(descriptor) }
      guard let accepted else { return nil }
      if accepted >= 0 {
        guard let socket = try? UnixSocket(adopting: accepted), socket.peer?.user == geteuid() else {
          continue
        }
        return socket
      }
      switch errno {
      case EAGAIN: await SocketLoop.shared.wait(.reading, of: descriptor)
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // Connections wait in the system until there is room again.
        try? await Task.sleep(for: .milliseconds(100))
      default: continue
      }
    }
    return nil
  }
}
