import Glibc
package import SessionBase

/// The sockets that listen for the program already: the service manager passes them when it starts it, or the program kept
/// them when it started itself anew.
package struct ActivatedSockets: Sendable {
  /// The socket for this user's programs; nil if none was passed.
  package let own: Activated?
  /// The port of HTTP; nil if none was passed.
  package let http: ActivatedPort?
  /// Further sockets, by the names of their files of settings.
  package let extra: [String: Activated]

  /// A Unix socket that listens.
  package struct Activated: Hashable, Sendable {
    let descriptor: Int32
    package let path: String
    /// True if the program made it itself.
    package let isKept: Bool

    /// Another descriptor of the socket: it goes on listening when one of the two is closed.
    func duplicate() throws(FileError) -> Activated {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { throw .system(.device, "cannot use", "a socket that was passed") }
      return Activated(descriptor: copy, path: path, isKept: isKept)
    }
  }

  /// A port of this machine that listens.
  package struct ActivatedPort: Hashable, Sendable {
    let descriptor: Int32
    package let address: LoopbackAddress
    package let isKept: Bool
  }

  private static let ownName = "rpc"
  private static let httpName = "http"
  /// The variables that tell of the sockets. They are meant for this program alone.
  package static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", KeptSockets.variable]
  /// More than anybody needs.
  private static let limit = 64

  /// Nothing listens yet.
  package init() { (own, http, extra) = (nil, nil, [:]) }

  /// Takes over what was passed to this process, and removes the variables that tell of it, so that programs that it
  /// starts do not see them. Throws `device` for a descriptor that does not listen, or that is of another kind than its name
  /// says. `first` is the first descriptor of the service manager.
  package init(_ environment: [String: String], first: Int32 = 3) throws(FileError) {
    defer { for variable in Self.variables { unsetenv(variable) } }
    let entries =
      if let kept = environment[KeptSockets.variable].flatMap({ KeptSockets($0) }) {
        kept.entries
      } else {
        try Self.entries(environment, first)
      }
    var own: Activated?
    var http: ActivatedPort?
    var extra: [String: Activated] = [:]
    for entry in entries {
      switch entry.name {
      case Self.ownName where own == nil: own = try Self.unixSocket(entry)
      case Self.httpName where http == nil: http = try Self.port(entry)
      case Self.ownName, Self.httpName: throw Self.twice(entry.name)
      default:
        guard try extra.updateValue(Self.unixSocket(entry), forKey: entry.name) == nil else {
          throw Self.twice(entry.name)
        }
      }
    }
    (self.own, self.http, self.extra) = (own, http, extra)
  }

  private init(_ own: Activated?, _ http: ActivatedPort?, _ extra: [String: Activated]) {
    (self.own, self.http, self.extra) = (own, http, extra)
  }

  /// Without those that the program kept from before, where it is to listen at another place now.
  package func dropping(
    ownUnlessAt path: String, httpUnlessAt address: LoopbackAddress?
  ) -> ActivatedSockets {
    var (own, http) = (own, http)
    if let dropped = own, dropped.isKept, dropped.path != path {
      unlink(dropped.path)
      close(dropped.descriptor)
      own = nil
    }
    if let dropped = http, dropped.isKept, address.map(dropped.address.fits) != true {
      close(dropped.descriptor)
      http = nil
    }
    return ActivatedSockets(own, http, extra)
  }

  private static func twice(_ name: String) -> FileError {
    FileError(.device, "the service manager passes two sockets with the name \"\(name)\"")
  }

  /// The descriptors of the service manager.
  private static func entries(
    _ environment: [String: String], _ first: Int32
  ) throws(FileError) -> [KeptSockets.Entry] {
    guard environment["LISTEN_PID"] == "\(getpid())",
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0
    else { return [] }
    guard count <= limit else {
      throw FileError(.device, "the service manager passes more than \(limit) sockets")
    }
    let names = environment["LISTEN_FDNAMES"].map {
      $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
    // Without names only one can be meant.
    guard names?.count == Int(count) || (names == nil && count == 1) else {
      throw FileError(.device, "the service manager must pass a name with each of its \(count) sockets")
    }
    return (0..<count).map {
      KeptSockets.Entry(name: names?[Int($0)] ?? ownName, descriptor: first + $0, isOwn: false)
    }
  }

  private static func unixSocket(_ entry: KeptSockets.Entry) throws(FileError) -> Activated {
    let descriptor = entry.descriptor
    guard option(SO_DOMAIN, of: descriptor) == AF_UNIX, listens(descriptor) else {
      throw FileError(.device, "descriptor \(descriptor), \"\(entry.name)\", is not a listening Unix socket")
    }
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    let path = withUnsafeBytes(of: address.sun_path) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard result == 0, path.hasPrefix("/") else {
      throw FileError(.device, "the socket \"\(entry.name)\" has no path")
    }
    try prepare(descriptor)
    return Activated(descriptor: descriptor, path: path, isKept: entry.isOwn)
  }

  private static func port(_ entry: KeptSockets.Entry) throws(FileError) -> ActivatedPort {
    let descriptor = entry.descriptor
    guard listens(descriptor), let address = LoopbackAddress(of: descriptor) else {
      throw FileError(
        .device, "descriptor \(descriptor), \"\(entry.name)\", does not listen at 127.0.0.1 or [::1]")
    }
    try prepare(descriptor)
    return ActivatedPort(descriptor: descriptor, address: address, isKept: entry.isOwn)
  }

  private static func listens(_ descriptor: Int32) -> Bool {
    option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
      && option(SO_ACCEPTCONN, of: descriptor) == 1
  }

  private static func prepare(_ descriptor: Int32) throws(FileError) {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      throw .system(.device, "cannot use", "a socket that was passed")
    }
  }

  private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
    var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
  }
}
