import Glibc
import SessionBase
import Synchronization

/// A proxy on loopback that leads to one server, whatever name a client gives.
public final class LoopbackProxy: Sendable {
  public enum Manner: Sendable {
    case http
    case socks
    /// It is a web server.
    case page
  }

  /// What a client wanted.
  public struct Wish: Hashable, Sendable {
    /// `example.org:443`
    public let target: String
    /// As the client gave them; nil without any.
    public let login: String?
  }

  public let port: UInt16
  private let listener: Int32
  private let manner: Manner
  private let target: UInt16
  private let taken = Mutex<[Wish]>([])

  public var wishes: [Wish] { taken.withLock { $0 } }

  public init(_ manner: Manner, to target: UInt16) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard isListening else { throw CancellationError() }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    (self.manner, self.target) = (manner, target)
    guard OwnThread.start({ [self] in serve() }) else { throw CancellationError() }
  }

  /// Takes no more clients.
  public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      // A client that never says what it wants must not keep its thread.
      var limit = timeval(tv_sec: 120, tv_usec: 0)
      setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      if !OwnThread.start({ [self] in
        serve(client)
        Self.end(client)
      }) {
        Self.end(client)
      }
    }
    close(listener)
  }

  /// The other side sees the end even if a program has inherited the socket.
  private static func end(_ socket: Int32) {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  private func serve(_ client: Int32) {
    switch manner {
    case .page: Self.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", to: client)
    case .http:
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        guard let byte = Self.take(1, from: client) else { return }
        head += byte
      }
      let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
      let words = lines[0].split(separator: " ")
      guard words.first == "CONNECT" else { return }
      let login = lines.first { $0.lowercased().hasPrefix("proxy-authorization: basic ") }
      note(String(words[1]), login.map { String($0.split(separator: " ")[2]) })
      Self.send("HTTP/1.1 200 Established\r\n\r\n", to: client)
      lead(client)
    case .socks: if greet(client) { lead(client) }
    }
  }

  private func greet(_ client: Int32) -> Bool {
    guard let head = Self.take(2, from: client), head[0] == 5,
      let methods = Self.take(Int(head[1]), from: client)
    else { return false }
    var login: String?
    if methods.contains(2) {
      Self.send([5, 2], to: client)
      var words: [String] = []
      guard Self.take(1, from: client) == [1] else { return false }
      for _ in 0..<2 {
        guard let size = Self.take(1, from: client), let word = Self.take(Int(size[0]), from: client) else {
          return false
        }
        words.append(String(decoding: word, as: UTF8.self))
      }
      login = words.joined(separator: ":")
      Self.send([1, 0], to: client)
    } else {
      Self.send([5, 0], to: client)
    }
    // Names only: an address would mean that the client looked it up.
    guard Self.take(4, from: client) == [5, 1, 0, 3], let size = Self.take(1, from: client),
      let name = Self.take(Int(size[0]), from: client), let port = Self.take(2, from: client)
    else { return false }
    note("\(String(decoding: name, as: UTF8.self)):\(Int(port[0]) << 8 | Int(port[1]))", login)
    Self.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], to: client)
    return true
  }

  private func note(_ target: String, _ login: String?) {
    taken.withLock { $0.append(Wish(target: target, login: login)) }
  }

  /// Carries bytes to the server and back until one of the sides ends.
  private func lead(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { Self.end(server) }
    var address = Self.loopback(target)
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { return }
    var sides = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0),
      pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while poll(&sides, 2, -1) > 0 || errno == EINTR {
      for (index, side) in sides.enumerated() where side.revents != 0 {
        let count = recv(side.fd, &bytes, bytes.count, 0)
        guard count > 0 else { return }
        Self.send(Array(bytes.prefix(count)), to: sides[1 - index].fd)
      }
    }
  }

  private static func take(_ count: Int, from socket: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return count == 0 || recv(socket, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
  }

  private static func send(_ text: String, to socket: Int32) { send(Array(text.utf8), to: socket) }

  private static func send(_ bytes: [UInt8], to socket: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
