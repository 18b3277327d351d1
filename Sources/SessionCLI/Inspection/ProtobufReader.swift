/// Reads the records of a protobuf message one by one, with their positions.
///
/// It knows no schema, and does not look inside records.
struct ProtobufReader {
  enum Value: Equatable {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    /// The position of its body.
    case body(Range<Int>)
  }

  struct Record: Equatable {
    let number: UInt64
    let value: Value
    /// From the tag to the end of the value.
    let place: Range<Int>
  }

  /// Why there is no next record.
  enum Mistake: String, Error {
    case cutOff = "it is cut off"
    case longVarint = "a number of more than ten bytes"
    case zeroField = "a field of number 0"
    case unknownType = "an unassigned type"
  }

  private let bytes: [UInt8]
  private(set) var at: Int
  private let end: Int

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    at = range.lowerBound
    end = range.upperBound
  }

  /// Nil at the end. After a mistake the reader stands where the record began.
  mutating func next() throws(Mistake) -> Record? {
    guard at < end else { return nil }
    let start = at
    do throws(Mistake) {
      let tag = try takeVarint()
      guard tag >> 3 > 0 else { throw Mistake.zeroField }
      let value = try takeValue(type: tag & 7)
      return Record(number: tag >> 3, value: value, place: start..<at)
    } catch {
      at = start
      throw error
    }
  }

  private mutating func takeValue(type: UInt64) throws(Mistake) -> Value {
    switch type {
    case 0: return .varint(try takeVarint())
    case 1: return .fixed64(littleEndian(try take(8)))
    case 2:
      let length = try takeVarint()
      guard length <= UInt64(end - at) else { throw .cutOff }
      return .body(try take(Int(length)))
    case 5: return .fixed32(UInt32(littleEndian(try take(4))))
    default: throw .unknownType
    }
  }

  private mutating func takeVarint() throws(Mistake) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<10 {
      let byte = bytes[try take(1).lowerBound]
      value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
      if byte & 0x80 == 0 { return value }
    }
    throw .longVarint
  }

  private mutating func take(_ count: Int) throws(Mistake) -> Range<Int> {
    guard count <= end - at else { throw .cutOff }
    defer { at += count }
    return at..<(at + count)
  }

  private func littleEndian(_ range: Range<Int>) -> UInt64 {
    bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension ProtobufReader {
  /// The last value of each field, and whether the bytes are fields to their end.
  static func fields(of bytes: ArraySlice<UInt8>) -> (fields: [UInt64: Value], isWhole: Bool) {
    var reader = ProtobufReader(Array(bytes), in: 0..<bytes.count)
    var fields: [UInt64: Value] = [:]
    while let record = try? reader.next() { fields[record.number] = record.value }
    return (fields, reader.at == bytes.count)
  }

  /// The body of a field.
  static func body(_ number: UInt64, of bytes: [UInt8]) -> [UInt8]? {
    guard case .body(let place)? = fields(of: bytes[...]).fields[number] else { return nil }
    return Array(bytes[place])
  }

  /// All fields but one.
  static func without(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    var reader = ProtobufReader(bytes, in: bytes.indices)
    var rest: [UInt8] = []
    while let record = try? reader.next() {
      if record.number != number { rest += bytes[record.place] }
    }
    return rest
  }
}
