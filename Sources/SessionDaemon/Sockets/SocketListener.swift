internal import CLinux
import Glibc
import SessionBase
import Synchronization

/// A Unix socket that accepts connections of certain users.
final class SocketListener: Sendable {
  let path: String
  private let admits: @Sendable (_ user: UInt32) -> Bool
  private let socket: ListeningSocket
  /// The file of the socket; another program may have replaced it since.
  private let identity: FileIdentity?
  /// True if the socket goes on listening when this stops.
  private let isKept = Mutex(false)

  /// Listens at a path for the own user. A file of that name at which no program listens is replaced if it is an own socket.
  /// Throws `inUse` if a program listens there, `exists` for any other file, and `forbidden` for a folder in which other
  /// users may replace files.
  convenience init(at path: String) throws(FileError) {
    let own = geteuid()
    try self.init(at: path) { $0 == own }
  }

  /// Listens for those whom a socket is meant for.
  convenience init(for socket: ExtraSocket) throws(FileError) {
    try self.init(
      at: socket.path, mode: socket.isForGroup ? 0o660 : 0o600, group: socket.group,
      admitting: Self.admitting(socket))
  }

  private static func admitting(_ socket: ExtraSocket) -> @Sendable (_ user: UInt32) -> Bool {
    let own = geteuid()
    return { user in user == own || socket.users?.contains(user) ?? true }
  }

  /// Takes over a socket that listens already, for the own user. The file of one of the service manager stays when this
  /// stops.
  convenience init(_ activated: ActivatedSockets.Activated) throws(FileError) {
    let own = geteuid()
    try self.init(activated) { $0 == own }
  }

  /// Takes over a socket that listens already, for those whom it is meant for.
  convenience init(_ activated: ActivatedSockets.Activated, for socket: ExtraSocket) throws(FileError) {
    try self.init(activated, admitting: Self.admitting(socket))
  }

  private init(
    _ activated: ActivatedSockets.Activated, admitting admits: @escaping @Sendable (UInt32) -> Bool
  ) throws(FileError) {
    socket = try ListeningSocket(adopting: activated.descriptor)
    path = activated.path
    self.admits = admits
    identity = activated.isKept ? try? FileIdentity(of: activated.path) : nil
  }

  init(
    at path: String, mode: mode_t = 0o600, group: UInt32? = nil,
    admitting admits: @escaping @Sendable (_ user: UInt32) -> Bool
  ) throws(FileError) {
    try Self.makeRoom(at: path)
    let descriptor = linux_unix_socket()
    guard descriptor >= 0 else { throw .system(.device, "cannot create", "a socket") }
    do throws(FileError) {
      // The mode of the file comes from the socket.
      guard fchmod(descriptor, 0o600) == 0 else { throw .system(.device, "cannot protect", path) }
      let address = try UnixAddress(path)
      guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0 else {
        throw .system(.uncreatable, "cannot listen at", path)
      }
      if let group, lchown(path, uid_t.max, group) != 0 {
        throw .system(.uncreatable, "cannot change the group of", path)
      }
      // It has its group already, and no other user can replace it.
      if mode != 0o600, chmod(path, mode) != 0 { throw .system(.uncreatable, "cannot open to others", path) }
      guard listen(descriptor, 512) == 0 else { throw .system(.device, "cannot listen at", path) }
      socket = try ListeningSocket(adopting: descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.path = path
    self.admits = admits
    identity = try? FileIdentity(of: path)
  }

  /// Removes a socket at which no program listens any more.
  private static func makeRoom(at path: String) throws(FileError) {
    if let other = try? StreamSocket.connect(to: path) {
      other.close()
      throw FileError(.inUse, "another program listens at \(path)")
    }
    let folder = Folder.of(path)
    var status = stat()
    guard stat(folder, &status) == 0 else { throw .system(.uncreatable, "cannot look at", folder) }
    // In a folder like /tmp each user can replace only own files.
    let isSticky = status.st_mode & S_ISVTX != 0
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 || isSticky else {
      throw FileError(.forbidden, "cannot listen at \(path): other users can replace files in its folder")
    }
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
      throw FileError(.exists, "cannot listen at \(path): there is another file of that name")
    }
    unlink(path)
  }

  deinit { close() }

  /// What goes on listening when this stops, in this program started anew. `name` is that of the service manager.
  func kept(as name: String) throws(FileError) -> KeptSockets.Entry {
    let entry = KeptSockets.Entry(name: name, descriptor: try socket.kept(), isOwn: identity != nil)
    isKept.withLock { $0 = true }
    return entry
  }

  /// True if the service manager made it.
  var isPassed: Bool { identity == nil }

  /// Stops listening.
  func close() {
    socket.close {
      // The file goes first: a client that finds it expects a program there.
      if let identity, !isKept.withLock({ $0 }), (try? FileIdentity(of: path)) == identity { unlink(path) }
    }
  }

  /// The next connection of a user who is admitted; those of others are closed without a byte. Nil when the socket was
  /// closed, or the task is cancelled.
  func next() async -> StreamSocket? {
    while let client = await socket.next() {
      if let peer = client.peer, admits(peer.user) { return client }
    }
    return nil
  }
}
