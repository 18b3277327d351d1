import Glibc
package import SessionBase

/// The sockets at which the service manager listens for the program, and which it passes when it starts it.
package struct ActivatedSockets: Sendable {
  /// The socket for this user's programs, and its path; nil if none was passed.
  package let own: Activated?

  /// A descriptor that listens.
  package struct Activated: Hashable, Sendable {
    let descriptor: Int32
    package let path: String
  }

  /// The name that the unit of the socket gives it.
  private static let name = "rpc"
  private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

  /// Takes over what was passed to this process, and removes the variables that tell of it, so that programs that it
  /// starts do not see them. Throws `device` for a descriptor that is not a listening Unix socket of that name.
  /// `first` is the first descriptor.
  package init(_ environment: [String: String], first: Int32 = 3) throws(FileError) {
    defer { for variable in Self.variables { unsetenv(variable) } }
    guard environment["LISTEN_PID"] == "\(getpid())",
      let count = environment["LISTEN_FDS"].flatMap({ Int($0) }),
      count > 0
    else {
      own = nil
      return
    }
    let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard count == 1, names.isEmpty || names == [Self.name[...]] else {
      throw FileError(.device, "the service manager must pass one socket, with the name \"\(Self.name)\"")
    }
    own = try Self.activated(first)
  }

  private static func activated(_ descriptor: Int32) throws(FileError) -> Activated {
    guard option(SO_DOMAIN, of: descriptor) == AF_UNIX,
      option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      option(SO_ACCEPTCONN, of: descriptor) == 1
    else { throw FileError(.device, "descriptor \(descriptor) is not a listening Unix socket") }
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    let path = withUnsafeBytes(of: address.sun_path) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard result == 0, path.hasPrefix("/") else {
      throw FileError(.device, "the socket of the service manager has no path")
    }
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      throw .system(.device, "cannot use", "the socket of the service manager")
    }
    return Activated(descriptor: descriptor, path: path)
  }

  private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
    var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
  }
}
