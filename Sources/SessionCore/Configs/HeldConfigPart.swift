internal import CSessionCore

/// A part of a large message, stored until the other parts arrive. Keep each part once, and only those of the newest
/// dump: anyone with a config's key can make parts that add to it.
public struct HeldConfigPart: Hashable, Sendable {
  /// The id of the message, and the number of its parts.
  public let message: [UInt8]
  public let count: Int
  public let index: Int
  /// Its hash in the swarm.
  public let hash: String
  public let content: [UInt8]
  /// When the parts of an incomplete message are discarded, in milliseconds since 1970.
  public let expiresAt: UInt64

  public init(
    _ index: Int, of count: Int, message: [UInt8], hash: String, content: [UInt8], expiresAt: UInt64
  ) {
    self.index = index
    self.count = count
    self.message = message
    self.hash = hash
    self.content = content
    self.expiresAt = expiresAt
  }

  init(_ part: sc_config_held_part) {
    self.init(
      part.index, of: part.count, message: Array(part.set.content),
      hash: String(decoding: part.hash.content, as: UTF8.self), content: Array(part.chunk.content),
      expiresAt: part.expires_ms)
  }

  func lend(_ body: (UnsafePointer<sc_config_held_part>) -> sc_status) throws(SessionError) {
    try CoreArena.lend { (arena) throws(SessionError) in
      let part = sc_config_held_part(
        set: arena.bytes(message), count: max(0, count), index: max(0, index), hash: arena.text(hash),
        chunk: arena.bytes(content), expires_ms: expiresAt)
      try SessionError.check(body(arena.value(part)))
    }
  }
}
