import CSessionCore
import Foundation
import SessionCore
import Testing

/// A layer of an onion with any content, sealed for a node.
final class RawLayer {
  private var pair: sc_x25519_pair
  private let node: NodeRecord
  let cipher: sc_hop_cipher
  let sealed: [UInt8]

  /// `content` is the whole of what the node finds when it opens the layer.
  init(_ content: [UInt8], for node: NodeRecord, cipher: sc_hop_cipher = SC_HOP_XCHACHA20) throws {
    self.node = node
    self.cipher = cipher
    var pair = sc_x25519_pair()
    sc_x25519_pair_generate(&pair, nil)
    self.pair = pair
    var out = sc_buffer()
    defer { sc_buffer_free(&out) }
    let status = content.withUnsafeBufferPointer { content in
      sc_hop_seal(
        &out, nil, cipher, SC_HOP_CLIENT, &pair, node.exchangeKey,
        sc_bytes(ptr: content.baseAddress, len: content.count))
    }
    try #require(status == SC_OK)
    sealed = Array(UnsafeBufferPointer(start: out.ptr, count: out.len))
  }

  deinit { sc_x25519_pair_wipe(&pair) }

  /// A ciphertext and what stands behind it.
  static func block(_ blob: [UInt8], _ control: String) -> [UInt8] {
    let count = UInt32(blob.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } + blob + Array(control.utf8)
  }

  private var ephemeralKey: [UInt8] { withUnsafeBytes(of: pair.public_key) { Array($0) } }

  /// The fields of a layer's control data that describe its seal.
  var seal: [String: Any] {
    ["ephemeral_key": ephemeralKey.hex, "enc_type": cipher == SC_HOP_XCHACHA20 ? "xchacha20" : "aes-gcm"]
  }

  /// The layer as it is sent, with changes of its control.
  func bytes(_ changes: [String: Any] = [:]) throws -> [UInt8] {
    let control = seal.merging(changes) { $1 }.filter { !($0.value is NSNull) }
    return Self.block(
      sealed, String(decoding: try JSONSerialization.data(withJSONObject: control), as: UTF8.self))
  }

  /// Opens the reply of a node that was able to open the layer.
  func open(_ reply: [UInt8]) throws -> (code: Int, body: String) {
    var key = sc_onion_key()
    key.cipher = cipher
    key.mine = pair
    withUnsafeMutableBytes(of: &key.destination) { $0.copyBytes(from: node.exchangeKey) }
    var opened = sc_onion_reply()
    let status = reply.withUnsafeBufferPointer { reply in
      sc_onion_reply_open(&opened, nil, &key, sc_bytes(ptr: reply.baseAddress, len: reply.count))
    }
    try #require(status == SC_OK, "\(String(decoding: reply, as: UTF8.self))")
    defer { sc_onion_reply_free(&opened) }
    let body = Array(UnsafeBufferPointer(start: opened.body.ptr, count: opened.body.len))
    return (Int(opened.status), String(decoding: body, as: UTF8.self))
  }
}
