import CSessionCore
import SessionCore

/// A correctly sealed message with any content and any time in its envelope. Anyone could store it in a swarm.
func forged(
  _ content: [UInt8], by sender: Account, for recipient: SessionID, at time: UInt64
) throws -> [UInt8] {
  let sealed = try sender.seal(try MessagePadding.padded(content), for: recipient)
  let envelope =
    [0x08, 6, 0x28] + varint(time) + [0x38, 1] + field(0x42, sealed)
    + field(0x5A, [UInt8](repeating: 7, count: 64))
  return [0x08, 1] + field(0x12, [0x0A, 0, 0x12, 0] + field(0x1A, envelope) + [0x20, 0])
}

/// A notice of a removal with any text, sealed as only the group can.
func sealedNotice(_ text: [UInt8], for reader: SessionID, by admin: GroupAdminKey) throws -> [UInt8] {
  var group = sc_keypair()
  sc_keypair_from_seed(&group, admin.seed.reveal())
  return try CoreArena.lend { (arena) throws(SessionError) in
    let (readers, texts) = (arena.list([arena.bytes(reader.key)]), arena.list([arena.bytes(text)]))
    return try Core.bytes { out in
      withUnsafePointer(to: group.x) {
        sc_multi_seal(out, nil, $0, readers, 1, texts, 1, arena.text("SessionGroupKickedMessage"), nil)
      }
    }
  }
}

/// A field of protobuf with bytes in it, by its tag.
func field(_ tag: UInt64, _ bytes: [UInt8]) -> [UInt8] {
  varint(tag) + varint(UInt64(bytes.count)) + bytes
}

/// A number as protobuf has it.
func varint(_ number: UInt64) -> [UInt8] {
  var (bytes, rest): ([UInt8], UInt64) = ([], number)
  while rest >= 0x80 {
    bytes.append(UInt8(rest & 0x7F) | 0x80)
    rest >>= 7
  }
  return bytes + [UInt8(rest)]
}
