import Testing

@testable import SessionStorage

/// Files of rows for other programs.
@Suite struct PlainDatabaseTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test func aFileThatAppearsMeanwhileStays() throws {
    let error = #expect(throws: StorageError.self) {
      try PlainDatabase.write(place.file, schema: .notes) { transaction in
        _ = try transaction.insertNote("one")
        try place.setContent([1, 2, 3] as [UInt8])
      }
    }
    #expect(error?.code == .duplicate)
    #expect(try place.content() == [1, 2, 3])
    #expect(try place.names == ["account.db"])
  }

  @Test func twoCopiesToOneFileDoNotMix() throws {
    try PlainDatabase.write(place.file, schema: .notes) { transaction in
      _ = try transaction.insertNote("one")
      let error = #expect(throws: StorageError.self) {
        try PlainDatabase.write(place.file, schema: .notes) { try $0.insertNote("two") }
      }
      #expect(error?.code == .busy)
    }
    #expect(try place.names == ["account.db"])
  }

  @Test func whatAnInterruptedCopyLeftIsRemoved() throws {
    try place.setContent([1, 2, 3] as [UInt8], ".part")
    let number = try PlainDatabase.write(place.file, schema: .notes) { try $0.insertNote("one") }
    #expect(number == 1)
    #expect(try place.names == ["account.db"])
    #expect(try place.content().starts(with: Array("SQLite format 3".utf8)))
  }

  @Test func aCopyThatFailsLeavesNothing() throws {
    #expect(throws: StorageError.self) {
      try PlainDatabase.write(place.file, schema: .notes) { transaction in
        _ = try transaction.insertNote("one")
        throw StorageError(.interrupted, "no")
      }
    }
    #expect(try place.names == [])
  }
}
