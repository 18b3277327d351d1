internal import CLinux
import Glibc
import SessionBase
import Synchronization

/// A Unix socket that accepts connections of its own user.
final class SocketListener: Sendable {
  let path: String
  private let descriptor: Int32
  private let isClosed = Mutex(false)
  /// The file of the socket; another program may have replaced it since.
  private let identity: FileIdentity?

  /// Listens at a path, in a folder where only its owner may create files. An own socket of that name at which no program
  /// listens is replaced. Throws `inUse` if one does, and `exists` for any other file.
  init(at path: String) throws(FileError) {
    if let other = try? UnixSocket.connect(to: path) {
      other.close()
      throw FileError(.inUse, "another program listens at \(path)")
    }
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK || status.st_uid != geteuid() {
      throw FileError(.exists, "cannot listen at \(path): there is another file of that name")
    }
    let socket = linux_unix_socket()
    guard socket >= 0 else { throw .system(.device, "cannot create", "a socket") }
    do throws(FileError) {
      // The mode of the file comes from the socket.
      guard fchmod(socket, 0o600) == 0 else { throw .system(.device, "cannot protect", path) }
      unlink(path)
      let address = try UnixAddress(path)
      guard address.withSockaddr({ bind(socket, $0, $1) }) == 0 else {
        throw .system(.uncreatable, "cannot listen at", path)
      }
      guard listen(socket, 512) == 0 else { throw .system(.device, "cannot listen at", path) }
      try SocketLoop.shared.add(socket)
    } catch {
      Glibc.close(socket)
      throw error
    }
    self.path = path
    descriptor = socket
    identity = try? FileIdentity(of: path)
  }

  deinit { close() }

  /// Stops listening.
  func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    if let identity, (try? FileIdentity(of: path)) == identity { unlink(path) }
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
      case ECONNABORTED, EINTR: continue
      // Mostly too many files are open. Connections wait in the system, which reports no event when there is room again.
      default: try? await Task.sleep(for: .milliseconds(100))
      }
    }
    return nil
  }
}
