import Glibc
import SessionCore
import Testing

@testable import SessionStorage

/// Opening and reading damaged files reports the damage, and never changes them.
@Suite(.timeLimit(.minutes(5))) struct DamagedFileTests {
  private let place: Workplace
  private let content: [UInt8]

  private static let page = DatabaseFile.pageSize
  private static let notes = 2000

  init() throws {
    place = try Workplace()
    let database = try Database.notes(in: place)
    try database.write { transaction in
      for number in 0..<Self.notes { try transaction.insertNote("note \(number)") }
    }
    try database.close()
    content = try place.content()
  }

  /// Opens and reads all of it, and says what that came to; nil when nothing is amiss.
  private func outcome() throws -> StorageError.Code? {
    do {
      let database = try Database.notes(in: place)
      #expect(try database.notes.count == Self.notes)
      // The index has pages of its own.
      let sorted: [String] = try database.values("SELECT text FROM note ORDER BY text")
      #expect(sorted.count == Self.notes)
      return nil
    } catch let error as StorageError {
      return error.code
    }
  }

  /// Lengths are in pages, and bytes more than that.
  @Test(
    arguments: [
      (0, 1, .notADatabase), (0, 15, .notADatabase), (0, 16, .notADatabase), (0, 4095, .notADatabase),
      (1, 0, .corrupt), (1, 1, .corrupt), (1, 4095, .corrupt), (2, 0, .corrupt), (2, 100, .corrupt),
      (5, 0, .corrupt),
      (-2, 0, .corrupt), (-1, 0, .corrupt), (-1, 1, .corrupt), (-1, 4076, .corrupt),
      // The last twelve bytes of a page are padding. Of those before them so many go that they cannot all be zero.
      (-1, 4084, nil), (-1, 4095, nil),
    ] as [(Int, Int, StorageError.Code?)]) func aFileThatWasCutOff(
      pages: Int, bytes: Int, code: StorageError.Code?
    ) throws
  {
    let count = content.count / Self.page
    try #require(count > 8)
    let cut = Array(content.prefix((pages < 0 ? count + pages : pages) * Self.page + bytes))
    try place.setContent(cut)
    #expect(try outcome() == code)
    #expect(try place.content() == cut)
  }

  @Test func everyDamagedPageIsReported() throws {
    for number in 1..<content.count / Self.page {
      var damaged = content
      damaged[number * Self.page + number * 17 % 4000] ^= 0x10
      try place.setContent(damaged)
      #expect(try outcome() == .corrupt, "page \(number)")
      #expect(try place.content() == damaged, "page \(number) was written to")
    }
  }

  @Test func pagesThatWereExchangedAreTold() throws {
    var mixed = content
    let (one, two) = (2 * Self.page, 3 * Self.page)
    for offset in 0..<Self.page { mixed.swapAt(one + offset, two + offset) }
    try place.setContent(mixed)
    #expect(try outcome() == .corrupt)
    #expect(try place.content() == mixed)
  }

  @Test func aFileOfSomethingElseIsNotTouched() throws {
    let other = (0..<3 * Self.page).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try place.setContent(other)
    #expect(try outcome() == .wrongKey)
    #expect(try place.content() == other)
  }

  @Test func anotherProcessThatWritesIsWaitedForOrNamed() async throws {
    let file = place.file
    let database = try Database.notes(in: place)
    try await withWriting(database) {
      await #expect(processExitsWith: .success) { [file = file as String] in
        let key = try DatabaseKey.example()
        let database = try Database.open(file, key: key, schema: .notes, options: .impatient)
        #expect(try database.notes.count == 2000)
        expectFailure(.busy) {
          try database.write { transaction in _ = try transaction.insertNote("second") }
        }
      }
    }
    await #expect(processExitsWith: .success) { [file = file as String] in
      let database = try Database.open(file, key: .example(), schema: .notes, options: .impatient)
      try await database.write { transaction in _ = try transaction.insertNote("second") }
    }
    #expect(try database.notes.last == "second")
  }

  /// Does something while a transaction that writes has begun, and before it is over.
  private func withWriting(_ database: Database, _ body: () async -> Void) async throws {
    let gate = Gate()
    async let writing: Void = database.write { transaction in
      try transaction.insertNote("first")
      gate.wait()
    }
    try await gate.reached()
    await body()
    gate.open()
    try await writing
  }

  @Test func anAccountInUseIsNamedToOtherProcesses() async throws {
    let path = place.path("roots")
    let account = try AccountFolder("alice", in: StorageRoots(inside: path))
    try account.prepare()
    let lock = try AccountLock(account, purpose: "session daemon")
    await #expect(processExitsWith: .success) { [path = path as String, holder = getpid() as Int32] in
      let account = try AccountFolder("alice", in: StorageRoots(inside: path))
      let error = #expect(throws: StorageError.self) { try AccountLock(account, purpose: "session send") }
      #expect(error?.code == .locked)
      #expect(error?.message == "the account alice is in use by session daemon (process \(holder))")
    }
    withExtendedLifetime(lock) {}
  }
}
