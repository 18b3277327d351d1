import Measuring
import SessionCore
import SessionNode
import SessionNodeCore
import SessionStorage
import StorageFloor

/// A node that is a network alone, with a store on the disk.
struct BenchNode {
  static let key = [UInt8](repeating: 7, count: DatabaseKey.byteCount)

  let node: StorageNode
  let record: NodeRecord

  init(_ path: String) throws {
    let keys = try NodeKeys.random()
    var options = NodeOptions()
    options.exemptsLoopback = true
    node = try StorageNode(
      keys: keys, at: NetworkAddress(parsing: "127.0.0.1:0"), store: try Self.store(path), options: options)
    guard let address = node.address else { fatalError("a node without an address") }
    record = try NodeRecord(
      key: keys.publicKey, address: address, httpsPort: 0, version: NodeOptions.version, swarm: 0)
    try node.learn(NetworkFile(name: "bench", height: 1, nodes: [record], operatorKeys: keys))
  }

  static func store(_ path: String) throws -> MessageStore {
    try MessageStore(path: path, key: DatabaseKey(SecretBytes(copying: key)))
  }

  /// The database of a node, for the floor.
  static func openFloor(_ path: String) throws -> OpaquePointer {
    try store(path).close()
    return floor_open(path, key)
  }
}
