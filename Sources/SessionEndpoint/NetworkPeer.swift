internal import CSessionCore
public import SessionCore

/// A peer to call: its address, and the only Ed25519 key accepted there.
public struct NetworkPeer: Hashable, Sendable {
  public let address: NetworkAddress
  /// 32 bytes.
  public let key: [UInt8]

  /// Throws `keySize` for a key that does not have 32 bytes.
  public init(address: NetworkAddress, key: [UInt8]) throws(SessionError) {
    guard key.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    self.address = address
    self.key = key
  }

  /// Creates a peer with a key known to have 32 bytes.
  init(unchecked address: NetworkAddress, key: [UInt8]) {
    self.address = address
    self.key = key
  }

  init(_ node: sc_quic_node) {
    address = NetworkAddress(node.address)
    key = array(node.key)
  }

  /// The core's form.
  var node: sc_quic_node {
    var node = sc_quic_node()
    node.address = address.core
    withUnsafeMutableBytes(of: &node.key) { $0.copyBytes(from: key) }
    return node
  }
}

extension NodeRecord {
  /// The peer to call.
  public var peer: NetworkPeer { NetworkPeer(unchecked: address, key: key) }
}
