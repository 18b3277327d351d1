import Glibc
import SessionCore

extension NetworkAddress {
  /// How the address begins under which a socket of IPv6 sees a client of IPv4.
  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  /// Converts a system address; nil for another family. A client of IPv4 has its own address, whatever socket it came to.
  init?(_ address: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let inet = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(
        host: withUnsafeBytes(of: inet.sin_addr) { Array($0) }, port: UInt16(bigEndian: inet.sin_port))
    case AF_INET6:
      let inet = raw.loadUnaligned(as: sockaddr_in6.self)
      let (host, port) = (
        withUnsafeBytes(of: inet.sin6_addr) { Array($0) }, UInt16(bigEndian: inet.sin6_port)
      )
      if host.starts(with: Self.mappedPrefix) {
        self.init(host: Array(host[Self.mappedPrefix.count...]), port: port)
      } else {
        self.init(host: host, port: port, scope: inet.sin6_scope_id)
      }
    default: return nil
    }
  }

  /// Lends it in the form of the system.
  func withSocketAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    func lend<Form>(_ form: Form) -> R {
      withUnsafePointer(to: form) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<Form>.size))
        }
      }
    }
    if isIPv4 {
      var inet = sockaddr_in()
      inet.sin_family = sa_family_t(AF_INET)
      inet.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &inet.sin_addr) { $0.copyBytes(from: hostBytes) }
      return lend(inet)
    }
    var inet = sockaddr_in6()
    inet.sin6_family = sa_family_t(AF_INET6)
    inet.sin6_port = port.bigEndian
    inet.sin6_scope_id = scope
    withUnsafeMutableBytes(of: &inet.sin6_addr) { $0.copyBytes(from: hostBytes) }
    return lend(inet)
  }

  var isIPv4: Bool { hostBytes.count == 4 }

  /// The host alone, as text; an IPv6 address in brackets.
  var hostText: String {
    let text = description
    return String(text[..<(text.lastIndex(of: ":") ?? text.endIndex)])
  }
}
