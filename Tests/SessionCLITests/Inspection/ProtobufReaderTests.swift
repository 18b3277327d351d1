import Testing

@testable import SessionCLI

@Suite struct ProtobufReaderTests {
  private typealias Record = ProtobufReader.Record

  private func records(_ bytes: [UInt8]) throws(ProtobufReader.Mistake) -> [ProtobufReader.Record] {
    var reader = ProtobufReader(bytes, in: bytes.indices)
    var records: [Record] = []
    while let record = try reader.next() { records.append(record) }
    return records
  }

  @Test func eachRecordIsTakenWithItsPlace() throws {
    let bytes: [UInt8] = [
      0x08, 0x96, 0x01, 0x12, 0x02, 0xAA, 0xBB, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4,
    ]
    #expect(
      try records(bytes) == [
        Record(number: 1, value: .varint(150), place: 0..<3),
        Record(number: 2, value: .body(5..<7), place: 3..<7),
        Record(number: 3, value: .fixed64(0x0807_0605_0403_0201), place: 7..<16),
        Record(number: 4, value: .fixed32(0x0403_0201), place: 16..<21),
      ])
  }

  @Test func nothingHasNoRecords() throws {
    #expect(try records([]) == [])
  }

  @Test func theLongestNumberHasTenBytes() throws {
    let most: [UInt8] = [UInt8](repeating: 0xFF, count: 9) + [0x01]
    #expect(try records([0x08] + most).first?.value == .varint(.max))
  }

  @Test(
    arguments: [
      ([0x08], ProtobufReader.Mistake.cutOff), ([0x88], .cutOff), ([0x0A, 0x02, 0x00], .cutOff),
      ([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .cutOff),
      ([0x09, 1, 2, 3, 4, 5, 6, 7], .cutOff), ([0x0D, 1, 2, 3], .cutOff), ([0x00, 0x00], .zeroField),
      ([0x0B], .unknownType), ([0x0C], .unknownType), ([0x0F], .unknownType),
      ([0x08] + [UInt8](repeating: 0x80, count: 10) + [0x00], .longVarint),
    ] as [([UInt8], ProtobufReader.Mistake)])
  func invalidRecordsAreReported(bytes: [UInt8], mistake: ProtobufReader.Mistake) {
    var reader = ProtobufReader([0x08, 0x01] + bytes, in: 0..<bytes.count + 2)
    #expect(throws: Never.self) { try reader.next() }
    #expect(throws: mistake) { try reader.next() }
    #expect(reader.at == 2)
  }

  @Test func itStaysInItsRange() {
    var reader = ProtobufReader([0x0A, 0x02, 0x68, 0x69], in: 0..<3)
    #expect(throws: ProtobufReader.Mistake.cutOff) { try reader.next() }
  }
}
