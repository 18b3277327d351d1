import SessionCore

/// A client as the limits of a server count it: by its address, for IPv6 by the network part, as one client has all
/// addresses of a network. A trusted one is counted by its own address, and has no limits.
struct LimitedPeer: Hashable, Sendable {
  private static let networkBytes = 8

  let isTrusted: Bool
  private let address: [UInt8]

  init(_ peer: NetworkAddress?, trusted: Set<[UInt8]> = []) {
    let host = peer?.hostBytes ?? []
    isTrusted = trusted.contains(host)
    address = isTrusted || peer?.isIPv4 != false ? host : Array(host.prefix(Self.networkBytes))
  }
}
