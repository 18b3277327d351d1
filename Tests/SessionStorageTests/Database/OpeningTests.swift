import Glibc
import SessionCore
import Testing

@testable import SessionStorage

@Suite struct OpeningTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func fill(_ count: Int = 1) throws {
    let database = try Database.notes(in: place)
    try database.write { transaction in
      for number in 0..<count { try transaction.insertNote("note \(number)") }
    }
    try database.close()
  }

  @Test func writtenDataSurvivesReopening() throws {
    try fill()
    let database = try Database.notes(in: place)
    #expect(try database.notes == ["note 0"])
    #expect(!database.wasInterrupted)
  }

  @Test func onlyTheOwnerMayReadTheFile() throws {
    let database = try Database.notes(in: place)
    try database.write { transaction in _ = try transaction.insertNote("one") }
    for name in try place.names {
      var status = stat()
      try #require(stat("\(place.path)/\(name)", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
  }

  @Test func nothingOfItCanBeReadWithoutTheKey() throws {
    let database = try Database.notes(in: place)
    let word = "platypus"
    try database.write { transaction in _ = try transaction.insertNote(word) }
    for ending in ["", "-wal"] {
      let content = try place.content(ending)
      #expect(!content.contains(Array(word.utf8)) && !content.contains(Array("SQLite format".utf8)))
    }
    try database.close()
    #expect(try !place.content().contains(Array(word.utf8)))
  }

  @Test func pagesHaveTheSizeThatTheKeyIsUsedWith() throws {
    try fill()
    let database = try Database.notes(in: place)
    #expect(try database.value("PRAGMA page_size") == 4096)
    #expect(try place.content().count % 4096 == 0)
  }

  @Test func theConnectionIsSetUpAsTheRulesSay() throws {
    let database = try Database.notes(in: place)
    let mode: String? = try database.write { transaction in try transaction.value("PRAGMA journal_mode") }
    #expect(mode == "wal")
    let switches = try database.write { transaction in
      try ["PRAGMA foreign_keys", "PRAGMA secure_delete", "PRAGMA temp_store"].map { (sql: SQL) in
        try transaction.value(sql) ?? -1
      }
    }
    #expect(switches == [1, 1, 2])
    // In full, and as the log needs it.
    #expect(try database.write { transaction in try transaction.value("PRAGMA synchronous") } == 2)
    #expect(try database.write(.relaxed) { transaction in try transaction.value("PRAGMA synchronous") } == 1)
  }

  @Test func aWrongKeyIsReportedAndChangesNothing() throws {
    try fill()
    let before = try place.content()
    expectFailure(.wrongKey) { _ = try Database.notes(in: place, key: .example(2)) }
    #expect(try place.content() == before)
    #expect(try Database.notes(in: place).notes == ["note 0"])
  }

  @Test(arguments: [0, 1, 31, 33, 47, 49]) func aKeyOfAnotherSizeIsRefused(size: Int) throws {
    expectFailure(.wrongKey) {
      _ = try DatabaseKey(SecretBytes(copying: [UInt8](repeating: 1, count: max(size, 1))))
    }
  }

  @Test func aSaltThatComesWithTheKeyBeginsTheFile() throws {
    let both = [UInt8](repeating: 1, count: 32) + [UInt8](200..<216)
    try Database.notes(in: place, key: DatabaseKey(SecretBytes(copying: both))).close()
    #expect(try place.content().starts(with: 200..<216))
    // The key alone opens it as well.
    _ = try Database.notes(in: place)
  }

  @Test func aFileThatIsNotEncryptedIsToldApart() throws {
    try place.setContent(Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 8176))
    expectFailure(.notEncrypted) { _ = try Database.notes(in: place) }
  }

  @Test(arguments: [1, 10, 16, 100, 4095]) func aShortFileIsNoDatabase(size: Int) throws {
    try fill()
    try place.setContent(try place.content().prefix(size))
    expectFailure(.notADatabase) { _ = try Database.notes(in: place) }
  }

  @Test func anEmptyFileIsNewUnlessThereMustBeOne() throws {
    try place.setContent([])
    var options = DatabaseOptions.impatient
    options.mayCreate = false
    expectFailure(.notADatabase) { _ = try Database.notes(in: place, options: options) }
    #expect(try Database.notes(in: place).notes == [])
  }

  @Test func aMissingFileIsToldWhereThereMustBeOne() throws {
    var options = DatabaseOptions.impatient
    options.mayCreate = false
    expectFailure(.missing) { _ = try Database.notes(in: place, options: options) }
    #expect(try place.names == [])
  }

  @Test func aFileThatWasCutOffIsCorrupt() throws {
    try fill(2000)
    let content = try place.content()
    try place.setContent(content.prefix(content.count / 2 / 4096 * 4096))
    expectFailure(.corrupt) { _ = try Database.notes(in: place).notes }
  }

  @Test func aDamagedPageIsCorruptWhenItIsReadAndStopsWriting() throws {
    try fill(2000)
    var content = try place.content()
    content[content.count / 2] ^= 1
    try place.setContent(content)
    let database = try Database.notes(in: place)
    let observation = database.observations.observe(.damage)
    expectFailure(.corrupt) { _ = try database.notes }
    #expect(observation.fetch() != nil)
    expectFailure(.corrupt) { try database.write { _ in } }
    #expect(database.damage?.code == .corrupt)
    // Undamaged rows can still be read.
    #expect(try database.value("SELECT text FROM note LIMIT 1") == "note 0")
  }

  /// The engine reads the end of a long row as zeros where its page is damaged, and says nothing.
  @Test func theDamagedEndOfALongRowIsNotReadAsZeros() throws {
    let database = try Database.notes(in: place)
    let text = String(repeating: "long ", count: 4000)
    try database.write { transaction in _ = try transaction.insertNote(text) }
    try database.close()
    let content = try place.content()
    for page in 1..<content.count / 4096 {
      var damaged = content
      damaged[page * 4096 + 100] ^= 1
      try place.setContent(damaged)
      do {
        let database = try Database.notes(in: place)
        #expect(try database.value("SELECT text FROM note NOT INDEXED") == text, "page \(page)")
      } catch StorageError.Code.corrupt {
        continue
      }
    }
    // The damage is reported even if the transaction throws another error.
    try place.setContent(content.dropLast(4096) + content.suffix(4096).map { $0 ^ 1 })
    let again = try Database.notes(in: place)
    struct Confused: Error {}
    expectFailure(.corrupt) {
      try again.write { transaction in
        let found: [String] = try transaction.values("SELECT text || '' FROM note NOT INDEXED")
        if found != [text] { throw Confused() }
        let other: [String] = try transaction.values("SELECT text || '' FROM note ORDER BY text")
        if other != [text] { throw Confused() }
      }
    }
  }

  @Test func everyByteOfTheFirstPageIsGuarded() throws {
    try fill(2)
    let content = try place.content()
    // Each byte of the salt and of what SQLite calls its header, then samples of the page.
    for index in Array(0..<116) + Array(stride(from: 116, to: 4096, by: 97)) + Array(4040..<4096) {
      var damaged = content
      damaged[index] ^= 0x40
      try place.setContent(damaged)
      // The last bytes of a page are padding, which nothing is in.
      if index >= 4084 {
        #expect(try Database.notes(in: place).notes.count == 2, "byte \(index)")
      } else {
        expectFailure(.wrongKey) { _ = try Database.notes(in: place) }
      }
      #expect(try place.content() == damaged || index >= 4084, "byte \(index) was written to")
    }
  }

  @Test func theFirstPageOfADatabaseInUseIsGuardedAsWell() throws {
    try fill(2)
    let content = try place.content()
    let database = try Database.notes(in: place)
    var damaged = content
    damaged[50] ^= 1
    try place.setContent(damaged)
    // The reader is opened now, and finds what the writer has long read.
    expectFailure(.wrongKey) { _ = try database.notes }
  }

  @Test func linksFoldersAndDevicesAreRefused() throws {
    try fill()
    let link = "\(place.path)/link"
    try #require(symlink(place.file, link) == 0)
    for path in [link, place.path, "/dev/null"] {
      expectFailure(.cannotOpen) {
        _ = try Database.open(path, key: .example(), schema: .notes, options: .impatient)
      }
    }
  }

  @Test func filesOfOtherOwnersAreRefused() throws {
    try fill()
    try #require(geteuid() == 0 ? chown(place.file, 12345, 12345) == 0 : true)
    if geteuid() == 0 { expectFailure(.cannotOpen) { _ = try Database.notes(in: place) } }
  }

  @Test func fileSystemsOfTheNetworkAreKnown() {
    #expect([0x6969, 0xFF53_4D42, 0xFE53_4D42].allSatisfy(DatabaseFile.isShared))
    // ext4, tmpfs, btrfs, xfs, overlay
    #expect(
      ![0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630].contains(where: DatabaseFile.isShared))
  }

  @Test func aFolderThatMayNotBeWrittenIsToldApart() async throws {
    try fill()
    let file = place.file
    // The user that runs the tests may be root, so another user tries.
    await #expect(processExitsWith: .success) { [file = file as String, path = place.path as String] in
      if geteuid() == 0 {
        for name in [path, file] { try #require(chown(name, 65534, 65534) == 0) }
        try #require(setgid(65534) == 0 && setuid(65534) == 0)
      }
      try #require(chmod(path, 0o500) == 0)
      defer { chmod(path, 0o700) }
      let key = try DatabaseKey.example()
      for path in [file, path + "/new.db"] {
        expectFailure(.readOnly) {
          _ = try Database.open(path, key: key, schema: .notes, options: .impatient)
        }
      }
      try #require(chmod(path, 0o700) == 0 && chmod(file, 0o400) == 0)
      expectFailure(.readOnly) {
        let database = try Database.open(file, key: key, schema: .notes, options: .impatient)
        try database.write { transaction in _ = try transaction.insertNote("no") }
      }
    }
    withExtendedLifetime(place) {}
  }

  @Test func twoProcessesTakeTurns() throws {
    let one = try Database.notes(in: place)
    let two = try Database.notes(in: place)
    try one.write { transaction in
      try transaction.insertNote("one")
      // There is no timeout here, so that the second open fails at once.
      expectFailure(.busy) { try two.write { _ in } }
    }
    try two.write { transaction in _ = try transaction.insertNote("two") }
    #expect(try one.notes == ["one", "two"])
  }

  @Test func openingIsTriedAgainWhileTheFileIsInUse() async throws {
    try fill()
    let blocker = try SQLCipherConnection.open(place.file, key: .example(), for: .writing, busyTimeout: .zero)
    // An exclusive connection keeps others out.
    try blocker.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM note; ROLLBACK")
    var options = DatabaseOptions.impatient
    expectFailure(.busy) { _ = try Database.notes(in: place, options: options) }
    options.retries = Array(repeating: .milliseconds(20), count: 500)
    let patient = options
    let here = place
    async let opened = Database.notes(in: here, options: patient).notes
    blocker.close()
    #expect(try await opened == ["note 0"])
  }

  @Test func aLogThatWasLeftBehindIsTold() throws {
    let database = try Database.notes(in: place)
    try database.write { transaction in _ = try transaction.insertNote("one") }
    let copy = try Workplace()
    for ending in ["", "-wal"] { try copy.setContent(try place.content(ending), ending) }
    let reopened = try Database.notes(in: copy)
    #expect(reopened.wasInterrupted)
    #expect(try reopened.notes == ["one"])
  }

  @Test func closingLeavesNothingButTheFileAndTheCounter() throws {
    try fill(100)
    #expect(try place.names == ["account.db", "account.db.change"])
  }

  @Test func statementsAreCompiledOnce() throws {
    let statements = Statements(try SQLCipherConnection.openInMemory())
    for _ in 0..<3 {
      try statements.run("SELECT 1")
      // The same text in another place is the same statement.
      try statements.run("SELECT 1")
    }
    #expect(statements.count == 1)
    for number in 0..<Statements.maxKept + 5 { try statements.run(Self.numbered(number)) }
    #expect(statements.count <= Statements.maxKept)
  }

  private static func numbered(_ number: Int) -> SQL {
    (0..<number).reduce("SELECT 1") { text, _ in "\(text) " }
  }

  @Test func aStatementInUseIsNotDisturbed() throws {
    let database = try Kind.memory.open(place)
    try database.write { transaction in for name in ["a", "b"] { try transaction.insertNote(name) } }
    let pairs = try database.read { transaction in
      var pairs: [String] = []
      try transaction.forEach("SELECT text FROM note") { (outer) throws(StorageError) in
        let first: String = try outer[0]
        try transaction.forEach("SELECT text FROM note") { (inner) throws(StorageError) in
          pairs.append(first + (try inner[0]))
          return true
        }
        return true
      }
      return pairs
    }
    #expect(pairs == ["aa", "ab", "ba", "bb"])
  }
}
