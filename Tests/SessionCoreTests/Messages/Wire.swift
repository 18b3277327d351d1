/// Protobuf fields put together by hand, for messages that nothing else would write.
enum Wire {
  static func varint(_ number: UInt64, _ value: UInt64) -> [UInt8] {
    bare(number << 3) + bare(value)
  }

  static func bytes(_ number: UInt64, _ value: some Collection<UInt8>) -> [UInt8] {
    bare(number << 3 | 2) + bare(UInt64(value.count)) + value
  }

  static func text(_ number: UInt64, _ value: String) -> [UInt8] {
    bytes(number, Array(value.utf8))
  }

  static func fixed64(_ number: UInt64, _ value: UInt64) -> [UInt8] {
    bare(number << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func bare(_ value: UInt64) -> [UInt8] {
    var value = value
    var bytes: [UInt8] = []
    while value > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    return bytes + [UInt8(value)]
  }
}

/// Contents by the numbers of their fields.
extension Wire {
  static func data(_ fields: [UInt8]...) -> [UInt8] { bytes(1, fields.joined().map(\.self)) }
  static func call(_ fields: [UInt8]...) -> [UInt8] { bytes(3, fields.joined().map(\.self)) }
  static func receipt(_ fields: [UInt8]...) -> [UInt8] { bytes(5, fields.joined().map(\.self)) }
  static func typing(_ fields: [UInt8]...) -> [UInt8] { bytes(6, fields.joined().map(\.self)) }
  static func extraction(_ fields: [UInt8]...) -> [UInt8] { bytes(8, fields.joined().map(\.self)) }
  static func unsend(_ fields: [UInt8]...) -> [UInt8] { bytes(9, fields.joined().map(\.self)) }
  static func response(_ fields: [UInt8]...) -> [UInt8] { bytes(10, fields.joined().map(\.self)) }
  /// A group update of one kind inside a data message.
  static func group(_ kind: UInt64, _ fields: [UInt8]...) -> [UInt8] {
    data(bytes(120, bytes(kind, fields.joined().map(\.self))))
  }
}
