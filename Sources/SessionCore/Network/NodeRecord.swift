package import CSessionCore

/// A storage node as listed.
public struct NodeRecord: Hashable, Sendable {
  /// The swarm id of nodes that serve no swarm and only relay.
  public static let noSwarm = UInt64.max

  /// Its Ed25519 key, 32 bytes.
  public var key: [UInt8]
  /// The X25519 form of its key, 32 bytes.
  public var exchangeKey: [UInt8]
  /// Its key in the daemon's lists, 32 bytes.
  public var legacyKey: [UInt8]
  /// The IPv4 address, four bytes; zeros if unknown.
  public var host: [UInt8]
  /// 0 if it has none.
  public var httpsPort: UInt16
  /// The port where it listens for QUIC.
  public var quicPort: UInt16
  public var version: [UInt16]
  public var swarm: UInt64
  public var isFunded = true

  public init(
    key: [UInt8], exchangeKey: [UInt8], host: [UInt8], httpsPort: UInt16 = 0, quicPort: UInt16,
    version: [UInt16], swarm: UInt64
  ) {
    precondition(key.count == 32 && exchangeKey.count == 32 && host.count == 4 && version.count == 3)
    self.key = key
    self.exchangeKey = exchangeKey
    legacyKey = key
    self.host = host
    self.httpsPort = httpsPort
    self.quicPort = quicPort
    self.version = version
    self.swarm = swarm
  }

  /// Creates a node at an IPv4 address, with the derived forms of its key. Throws for an invalid key.
  public init(
    key: [UInt8], address: NetworkAddress, httpsPort: UInt16, version: [UInt16], swarm: UInt64
  ) throws(SessionError) {
    let exchangeKey = try Core.exchangeKey(of: key)
    guard address.hostBytes.count == 4 else { throw SessionError(SC_ERR_ADDRESS) }
    self.init(
      key: key, exchangeKey: exchangeKey, host: address.hostBytes, httpsPort: httpsPort,
      quicPort: address.port, version: version, swarm: swarm)
  }

  /// The address to call.
  public var address: NetworkAddress {
    var address = sc_address()
    sc_address_ipv4(&address, host, quicPort)
    return NetworkAddress(address)
  }

  init(_ node: sc_storage_node) {
    key = array(node.ed25519)
    exchangeKey = array(node.x25519)
    legacyKey = array(node.legacy)
    host = array(node.ip)
    httpsPort = node.https_port
    quicPort = node.quic_port
    version = [node.version.0, node.version.1, node.version.2]
    swarm = node.swarm
    isFunded = node.funded
  }

  package var core: sc_storage_node {
    var node = sc_storage_node()
    fill(&node.ed25519, with: key)
    fill(&node.x25519, with: exchangeKey)
    fill(&node.legacy, with: legacyKey)
    fill(&node.ip, with: host)
    node.https_port = httpsPort
    node.quic_port = quicPort
    node.version = (version[0], version[1], version[2])
    node.swarm = swarm
    node.funded = isFunded
    return node
  }
}
