package import CSessionCore

/// An IP address and a port.
public struct NetworkAddress: Sendable, CustomStringConvertible, Hashable {
  package let core: sc_address

  package init(_ core: sc_address) {
    self.core = core
  }

  /// Parses "192.0.2.1:443" or "[2001:db8::1]:443"; names are not resolved.
  public init(parsing text: String) throws(SessionError) {
    var core = sc_address()
    try text.utf8.lend { (text) throws(SessionError) in
      try Core.call { sc_address_parse(&core, text) }
    }
    self.core = core
  }

  /// Creates an address from the 4 or 16 bytes of an IP address; nil for any other length. `scope` is the interface
  /// of a link-local IPv6 address.
  public init?(host: some Collection<UInt8>, port: UInt16, scope: UInt32 = 0) {
    var core = sc_address()
    switch host.count {
    case 4: sc_address_ipv4(&core, Array(host), port)
    case 16: sc_address_ipv6(&core, Array(host), scope, port)
    default: return nil
    }
    self.core = core
  }

  /// The wildcard address for reaching another address, with a port chosen by the system.
  public static func any(reaching other: NetworkAddress) -> NetworkAddress {
    var core = sc_address()
    core.family = other.core.family
    return NetworkAddress(core)
  }

  public var port: UInt16 { core.port }

  /// The interface that a link-local IPv6 address belongs to; otherwise 0.
  public var scope: UInt32 { core.scope }

  /// The same host with another port.
  public func withPort(_ port: UInt16) -> NetworkAddress {
    var core = core
    core.port = port
    return NetworkAddress(core)
  }

  /// The address without its port: four bytes, or sixteen.
  public var hostBytes: [UInt8] {
    Array(array(core.ip).prefix(core.family == UInt16(SC_ADDRESS_IPV4.rawValue) ? 4 : 16))
  }

  public var isLoopback: Bool {
    let host = hostBytes
    return host.count == 4 ? host[0] == 127 : host == Array(repeating: 0, count: 15) + [1]
  }

  /// The text that `init(parsing:)` reads.
  public var description: String {
    Core.text(capacity: SC_ADDRESS_TEXT_BYTES) { text in
      withUnsafePointer(to: core) { sc_address_format(text, $0) }
    }
  }

  public static func == (one: NetworkAddress, other: NetworkAddress) -> Bool {
    withUnsafePointer(to: one.core) { one in
      withUnsafePointer(to: other.core) { sc_address_same(one, $0) }
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(description)
  }
}
