public import SessionCore

/// The scope in which an address means the same host.
public enum AddressReach: Hashable, Sendable {
  /// The whole internet.
  case global
  /// This machine or its local network, or a translator that may lead there.
  case near
  /// None: multicast, documentation and reserved addresses.
  case none

  public init(_ address: NetworkAddress) {
    let host = address.hostBytes
    self = host.count == 4 ? Self.v4(host) : Self.v6(host)
  }

  private static func v4(_ host: [UInt8]) -> AddressReach {
    switch (host[0], host[1], host[2]) {
    case (0, _, _): .none
    case (10, _, _), (127, _, _), (172, 16...31, _), (192, 168, _): .near
    // Behind the address of a provider; of a link; to measure networks with.
    case (100, 64...127, _), (169, 254, _), (198, 18...19, _): .near
    // Assigned to protocols, for examples, and to relays that are gone.
    case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113), (192, 88, 99): .none
    case (224..., _, _): .none
    default: .global
    }
  }

  private static func v6(_ host: [UInt8]) -> AddressReach {
    if host.prefix(15).allSatisfy({ $0 == 0 }), host[15] == 1 { return .near }
    for prefix in translators where host.starts(with: prefix) { return v4(Array(host[12...])).asNear }
    // Of a site, and of a link.
    if host[0] & 0xfe == 0xfc || (host[0] == 0xfe && host[1] & 0xc0 == 0x80) { return .near }
    guard host[0] & 0xe0 == 0x20 else { return .none }
    switch (host[0], host[1], host[2], host[3]) {
    // Protocols (tunnels among them), examples, and tunnels again.
    case (0x20, 0x01, 0x00...0x01, _), (0x20, 0x01, 0x0d, 0xb8), (0x20, 0x02, _, _): return .none
    case (0x3f, 0xff, 0x00...0x0f, _): return .none
    default: return .global
    }
  }

  /// Prefixes of an embedded IPv4 address.
  private static let translators: [[UInt8]] = [
    [UInt8](repeating: 0, count: 10) + [0xff, 0xff],
    [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8),
    [0, 0x64, 0xff, 0x9b, 0, 1],
  ]

  private var asNear: AddressReach { self == .none ? .none : .near }
}
