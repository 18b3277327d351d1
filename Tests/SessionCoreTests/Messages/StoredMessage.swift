import SessionCore

/// Contents wrapped step by step, as other clients would: whatever they hold.
enum StoredMessage {
  static func padded(_ content: [UInt8]) -> [UInt8] {
    let padding = 160 - (content.count + 1) % 160
    return content + [0x80] + [UInt8](repeating: 0, count: padding)
  }

  static func envelope(_ content: [UInt8], type: UInt64 = 6, timestamp: UInt64) -> [UInt8] {
    Wire.varint(1, type) + Wire.varint(5, timestamp) + Wire.varint(7, 1) + Wire.bytes(8, content)
  }

  /// In the swarm of `recipient`.
  static func forContact(
    _ content: [UInt8], from sender: Account, to recipient: Account, timestamp: UInt64 = 1_700_000_000_000
  ) throws -> [UInt8] {
    let sealed = try sender.seal(padded(content), for: recipient.id)
    let request =
      Wire.text(1, "") + Wire.text(2, "")
      + Wire.bytes(3, envelope(sealed, timestamp: timestamp)) + Wire.varint(4, 0)
    return Wire.varint(1, 1) + Wire.bytes(2, request)
  }

  /// In the swarm of a group.
  static func forGroup(
    _ content: [UInt8], from sender: Account, group: SessionID, key: SecretBytes,
    timestamp: UInt64 = 1_700_000_000_000
  ) throws -> [UInt8] {
    try sender.seal(envelope(content, type: 7, timestamp: timestamp), forGroup: group, key: key)
  }
}
