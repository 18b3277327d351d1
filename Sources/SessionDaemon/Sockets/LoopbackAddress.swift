import Glibc

/// An address that only this machine reaches.
package struct LoopbackAddress: Hashable, Sendable {
  let isIPv6: Bool
  package let port: UInt16

  /// Reads `127.0.0.1:PORT` or `[::1]:PORT`; nil for anything else.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else { return nil }
    switch text[..<colon] {
    case "127.0.0.1": self.init(isIPv6: false, port: port)
    case "[::1]": self.init(isIPv6: true, port: port)
    default: return nil
    }
  }

  init(isIPv6: Bool, port: UInt16) { (self.isIPv6, self.port) = (isIPv6, port) }

  /// That of a socket; nil if other machines can reach it, or it is of another kind.
  init?(of socket: Int32) {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    guard result == 0 else { return nil }
    // The port is at the same place in both kinds of address.
    let port = UInt16(bigEndian: address.sin6_port)
    let candidate = LoopbackAddress(isIPv6: address.sin6_family == sa_family_t(AF_INET6), port: port)
    // The rest has to be the same, too.
    let isEqual = candidate.withSockaddr { other, otherSize in
      withUnsafePointer(to: &address) { otherSize <= size && memcmp($0, other, Int(otherSize)) == 0 ? 1 : 0 }
    }
    guard isEqual == 1 else { return nil }
    self = candidate
  }

  /// The address of a web server there.
  package var url: String { "http://\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)" }

  /// True if a program that is to listen at another address may listen here: port 0 is any.
  func fits(_ wanted: LoopbackAddress) -> Bool {
    isIPv6 == wanted.isIPv6 && (wanted.port == 0 || port == wanted.port)
  }

  func withSockaddr(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    guard isIPv6 else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return Self.lend(&address, body)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return Self.lend(&address, body)
  }

  private static func lend<T>(
    _ address: inout T, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<T>.size)) }
    }
  }
}
