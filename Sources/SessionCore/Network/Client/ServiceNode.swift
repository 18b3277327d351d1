internal import CSessionCore

/// A node as clients know it: its key, its address and its swarm.
public struct ServiceNode: Sendable {
  let core: sc_node

  init(_ core: sc_node) {
    self.core = core
  }

  /// Creates a node from a record of a list.
  public init(_ record: NodeRecord) {
    let record = record.core
    var core = sc_node()
    core.key = record.ed25519
    core.ip = record.ip
    core.https_port = record.https_port
    core.quic_port = record.quic_port
    core.version = record.version
    core.swarm = record.swarm
    self.core = core
  }

  /// Creates a node from its list entry. The address must be IPv4; without a swarm the node only relays. Throws
  /// `keySize`, and `address` for an address that no node of the network can have.
  public init(
    key: [UInt8], address: NetworkAddress, httpsPort: UInt16 = 0,
    version: Version = Version(0, 0, 0), swarm: UInt64? = nil
  ) throws(SessionError) {
    guard key.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    guard Int32(address.core.family) == Int32(SC_ADDRESS_IPV4.rawValue) else {
      throw SessionError(SC_ERR_ADDRESS)
    }
    var core = sc_node()
    fill(&core.key, with: key)
    withUnsafeMutableBytes(of: &core.ip) { ip in
      withUnsafeBytes(of: address.core.ip) { ip.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<4])) }
    }
    core.https_port = httpsPort
    core.quic_port = address.port
    core.version = version.core
    core.swarm = swarm ?? NodeRecord.noSwarm
    self.core = core
  }

  /// Parses the output of `description`.
  public init(parsing text: String) throws(SessionError) {
    var core = sc_node()
    try text.utf8.lend { (text) throws(SessionError) in
      try Core.call { sc_node_parse(&core, text) }
    }
    self.core = core
  }

  /// Its Ed25519 key, 32 bytes, which identifies it.
  public var key: [UInt8] { array(core.key) }

  /// The address where it listens for QUIC.
  public var address: NetworkAddress { NetworkAddress(withUnsafePointer(to: core) { sc_node_address($0) }) }

  /// 0 if it has none.
  public var httpsPort: UInt16 { core.https_port }

  /// The version of its software; zeros if unknown.
  public var version: Version { Version(core.version) }

  /// Nil for a node that only relays.
  public var swarm: UInt64? { core.swarm == NodeRecord.noSwarm ? nil : core.swarm }

  /// The version of a node's software.
  public struct Version: Hashable, Sendable {
    public let major, minor, patch: UInt16

    public init(_ major: UInt16, _ minor: UInt16, _ patch: UInt16) {
      (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    init(_ core: (UInt16, UInt16, UInt16)) {
      self.init(core.0, core.1, core.2)
    }

    var core: (UInt16, UInt16, UInt16) { (major, minor, patch) }
  }
}

extension ServiceNode: CustomStringConvertible {
  /// "key in hexadecimal|ip|https port|quic port|M.m.p|swarm", as in node files.
  public var description: String {
    Core.text(capacity: SC_NODE_TEXT_BYTES) { text in
      _ = withUnsafePointer(to: core) { sc_node_format(text, $0) }
    }
  }
}

extension ServiceNode: Hashable {
  public static func == (one: ServiceNode, other: ServiceNode) -> Bool {
    one.description == other.description
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
