import CBench
import CSessionCore
import Measuring
import SessionCore
import SessionNodeCore
import StorageFloor

/// Opening the layer of an onion that is to be handed on.
enum PeelBench {
  private static let count = 200

  static func run() throws {
    let keys = try NodeKeys.random()
    let bytes = try onion(by: keys)
    // A core's 10,000 peels a second.
    Figure(
      name: "node/peel a layer", floorName: "libsodium, X25519, BLAKE2b and XChaCha20-Poly1305",
      amount: Double(count), goal: .atMost(100)
    ).run {
      for _ in 0..<Self.count {
        let layer = try OnionBlock(bytes, from: .client, keys: keys).open(by: keys)
        guard case .relay = layer.role else { fatalError("it is not handed on") }
      }
    } floor: {
      floor_peel(Self.count)
    }
  }

  /// A request that goes by this node and one more to a third.
  private static func onion(by keys: NodeKeys) throws -> [UInt8] {
    var hops = [sc_onion_node(keys), sc_onion_node(try .random())]
    var destination = sc_onion_destination()
    destination.kind = SC_ONION_TO_NODE
    destination.node = sc_onion_node(try .random())
    var (out, key) = (sc_buffer(), sc_onion_key())
    defer {
      sc_buffer_free(&out)
      sc_onion_key_wipe(&key)
    }
    let call = Array(#"{"method":"info","params":{}}"#.utf8)
    let status = call.withUnsafeBufferPointer { call in
      sc_onion_build(
        &out, &key, nil, SC_HOP_XCHACHA20, &hops, hops.count, &destination,
        sc_bytes(ptr: call.baseAddress, len: call.count))
    }
    guard status == SC_OK else { fatalError("no onion: \(String(cString: sc_status_text(status)))") }
    return Array(UnsafeBufferPointer(start: out.ptr, count: out.len))
  }
}

extension sc_onion_node {
  fileprivate init(_ keys: NodeKeys) {
    self.init()
    withUnsafeMutableBytes(of: &ed25519) { $0.copyBytes(from: keys.publicKey) }
    withUnsafeMutableBytes(of: &x25519) { $0.copyBytes(from: keys.exchangeKey) }
  }
}
