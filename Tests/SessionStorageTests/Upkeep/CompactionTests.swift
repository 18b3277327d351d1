import Foundation
import SessionBase
import Testing

@testable import SessionStorage

@Suite(.timeLimit(.minutes(5))) struct CompactionTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func fill(_ options: DatabaseOptions = .impatient) throws -> Database {
    let database = try Database.notes(in: place, options: options)
    try database.write { transaction in
      for number in 0..<3000 { try transaction.insertNote("platypus \(number)") }
      try transaction.run("DELETE FROM note WHERE id % 10 > 0")
    }
    return database
  }

  @Test func spaceOfDeletedRowsIsReclaimed() throws {
    let database = try fill()
    let state = try Fingerprint(database)
    let report = try database.compact()
    #expect(report.bytesAfter < report.bytesBefore / 3)
    #expect(try place.content().count == report.bytesAfter)
    #expect(try Fingerprint(database) == state)
    #expect(try database.integrityCheck().isSound)
    // Nothing is left to be given back.
    #expect(try database.compact().bytesAfter == report.bytesAfter)
  }

  /// Pages of the copy that do not fit into memory are written, and read again.
  @Test func databasesLargerThanMemoryAreCompactedIntact() throws {
    try fill().close()
    var options = DatabaseOptions.impatient
    options.cacheBytes = 40_000
    let database = try Database.notes(in: place, options: options)
    try database.write { transaction in
      for number in 0..<3000 {
        try transaction.insertNote("another \(number) " + String(repeating: "x", count: number % 7 * 1000))
      }
    }
    let state = try Fingerprint(database)
    for _ in 0..<2 {
      try database.compact()
      #expect(try Fingerprint(database) == state)
      #expect(try database.integrityCheck().isSound)
    }
  }

  @Test func thereIsNothingToDoInMemory() throws {
    #expect(try Kind.memory.open(place).compact() == CompactionReport(bytesBefore: 0, bytesAfter: 0))
  }

  /// One device for both copies, then one for each.
  @Test(arguments: [(1, 2, 1), (1, 1, 2)] as [(UInt, UInt, Int)])
  func withoutSpaceForItNothingIsBegun(device: UInt, other: UInt, copies: Int) throws {
    let database = try fill()
    _ = try database.maintain { try $0.connection.checkpoint() }
    let size = try place.content().count
    func compact(_ bytes: Int) throws {
      _ = try database.compact { (folder) throws(FileError) in
        FreeSpace(device: folder.hasPrefix(place.path) ? device : other, bytes: bytes)
      }
    }
    expectFailure(.full) { try compact(copies * size) }
    #expect(try place.content().count == size)
    try compact(copies * (size + size / 32 + 65_536))
    #expect(try place.content().count < size)
  }

  @Test func readersSeeWhatTheySaw() async throws {
    let database = try fill()
    let gate = Gate()
    async let counts = database.read { transaction in
      let before = try transaction.notes.count
      gate.wait()
      return (before, try transaction.notes.count)
    }
    try await gate.reached()
    try database.compact()
    gate.open()
    #expect(try await counts == (300, 300))
    #expect(try database.integrityCheck().isSound)
  }

  @Test func theCopyOnTheWayIsEncrypted() async throws {
    await #expect(processExitsWith: .success) {
      let place = try Workplace()
      try FileManager.default.createDirectory(
        atPath: place.path("temporary"), withIntermediateDirectories: false)
      setenv("SQLITE_TMPDIR", place.path("temporary"), 1)
      // Only what does not fit into memory is written there.
      var options = DatabaseOptions.impatient
      options.cacheBytes = 20_000
      let database = try CompactionTests(place: place).fill(options)
      try database.write { transaction in
        for number in 0..<2000 { try transaction.insertNote("another platypus \(number)") }
      }
      let disk = try RecordedDisk(place)
      try database.compact()
      #expect((0..<disk.count).contains { disk.description(of: $0).contains("temporary/") })
      #expect(!disk.hasWritten("platypus"))
    }
  }

  private init(place: Workplace) { self.place = place }
}
