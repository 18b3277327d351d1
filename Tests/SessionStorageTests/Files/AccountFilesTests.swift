import SessionCore
import Testing

@testable import SessionStorage

@Suite struct AccountFilesTests {
  private let place: Workplace
  private let database: Database
  private let files: AccountFiles
  private let thread: ThreadRecord.ID

  private static let now: Int64 = 1_000_000_000_000
  private static let later = now + AccountFiles.grace + 1

  init() throws {
    place = try Workplace()
    database = try ExampleAccount.open(in: place)
    files = AccountFiles(database, in: place.path)
    thread = try database.write { transaction in
      try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
    }
  }

  /// Adds an attachment with a file, and makes it part of as many messages.
  @discardableResult
  private func add(_ content: [UInt8] = [1, 2, 3], to count: Int = 1) async throws -> AttachmentRecord {
    try await files.add(Pieces(pieces: [content]), to: .attachments, at: Self.now) {
      [thread] (transaction, file) in
      var attachment = AttachmentRecord(
        .file, .downloaded, contentType: "image/png", byteCount: 3, createdAt: Self.now)
      attachment.fileID = file
      attachment = try transaction.insert(attachment)
      for _ in 0..<count {
        let time: Int64 = try transaction.value("SELECT ifnull(max(id), 0) FROM interaction") ?? 0
        let message = try transaction.insert(ExampleAccount.message("see", in: thread, at: time))
        try transaction.attach([attachment.id], to: message.id)
      }
      return attachment
    }
  }

  // Without the choice between waiting for the database and not, which tests that wait for other things would have.

  private func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    try database.read(body)
  }

  private func write(_ body: (borrowing WriteTransaction) throws -> Void) throws {
    try database.write(.durable, body)
  }

  private func file(of attachment: AttachmentRecord) throws -> FileRecord {
    let id = try #require(attachment.fileID)
    return try #require(try read { transaction in try transaction.file(id) })
  }

  /// The name of a file in the workplace.
  private func name(_ file: FileRecord) -> String {
    let name = file.path.dropFirst("attachments/".count)
    return "attachments/\(name.prefix(2))/\(name)"
  }

  private func deleteOldestMessage() throws {
    try write { transaction in
      let oldest = try #require(try transaction.page(of: thread, after: .start, limit: 1).first)
      try transaction.delete(oldest)
    }
  }

  private func orphans() throws -> [String] { try database.values("SELECT path FROM orphanFile") }

  @Test func addedFilesCanBeReadBack() async throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try file(of: try await add(content))
    #expect(try await files.content(of: file).reduce(into: []) { $0 += $1 } == content)
    #expect(file.byteCount == 200_000 && file.createdAt == Self.now)
    #expect(try orphans() == [])
  }

  @Test func aFileGoesAfterItsLastReference() async throws {
    let file = try file(of: try await add(to: 2))
    try deleteOldestMessage()
    #expect(try files.removeReleased().removed == 0)
    #expect(place.exists(name(file)))
    try deleteOldestMessage()
    #expect(try read { transaction in try transaction.files() } == [])
    // Until the transaction is on the device, the file has to stay.
    #expect(place.exists(name(file)))
    #expect(try orphans() == [file.path])
    #expect(try files.removeReleased().removed == 1)
    #expect(try !place.exists(name(file)) && orphans() == [])
  }

  @Test func aDeletionThatIsUndoneKeepsTheFile() async throws {
    let file = try file(of: try await add())
    try write { transaction in
      try transaction.deleteThread(thread)
      transaction.abandon()
    }
    #expect(try files.removeReleased().removed == 0)
    #expect(try await files.content(of: file).reduce(into: []) { $0 += $1 } == [1, 2, 3])
  }

  @Test func aConversationTakesItsFilesWithIt() async throws {
    for _ in 0..<3 { try await add() }
    try write { transaction in try transaction.deleteThread(thread) }
    #expect(try files.removeReleased().removed == 3)
    #expect(try database.value("SELECT count(*) FROM attachment") == 0)
  }

  @Test func aPictureThatIsReplacedGoes() async throws {
    for _ in 0..<2 {
      _ = try await files.add(Pieces(pieces: [[7]]), to: .avatars, at: Self.now) { transaction, file in
        var profile = ProfileRecord(ExampleAccount.bob, name: "Bob", updatedAt: 1)
        profile.pictureFileID = file
        try transaction.put(profile)
      }
    }
    #expect(try files.removeReleased().removed == 1)
    #expect(try read { transaction in try transaction.files().count } == 1)
  }

  @Test func aFileThatNothingRefersToIsRefused() async throws {
    await #expect {
      try await files.add(Pieces(pieces: [[1]]), to: .attachments, at: Self.now) { _, _ in }
    } throws: {
      StorageError.Code.reference ~= $0
    }
    #expect(try read { transaction in try transaction.files() } == [])
    #expect(try files.sweep(at: Self.now).removed == 0)
    #expect(try files.sweep(at: Self.later).removed == 1)
    #expect(try orphans() == [])
  }

  @Test func aFileThatFailsToBeWrittenLeavesNothing() async throws {
    await #expect(throws: Pieces.Failure.self) {
      try await files.add(Pieces(pieces: [[1]], fails: true), to: .attachments, at: Self.now) { _, _ in }
    }
    #expect(try orphans() == [])
    #expect(try files.sweep(at: Self.later).removed == 0)
  }

  /// A program that ended in the middle left one of these: a name, a part of a file, a file without a row.
  @Test func unfinishedFilesAreSweptAfterTheirTimeout() async throws {
    let known = try file(of: try await add())
    let names = try (0..<3).map { _ in try FileVault.newName() }
    try write { transaction in
      for name in names { try transaction.announceFile(at: "attachments/\(name)", at: Self.now) }
    }
    let vault = FileVault(place.path("attachments"))
    _ = try await vault.write(Pieces(pieces: [[1]]), as: names[0])
    try place.makeFolder("attachments/\(names[1].prefix(2))")
    let part = "attachments/\(names[1].prefix(2))/.\(names[1]).x7Fq2A"
    try place.write([1], to: part)
    try place.setWritingTime(Self.now, of: part)
    let early = try files.sweep(at: Self.later - 1)
    #expect(early.removed == 0 && early.failures.isEmpty)
    let sweep = try files.sweep(at: Self.later)
    // The names count, whether there is a file or not.
    #expect(sweep.removed == 4 && sweep.failures.isEmpty && sweep.missing == [])
    #expect(try orphans() == [])
    #expect(place.exists(name(known)) && !place.exists(part))
  }

  @Test func oldFilesWithoutRowsAreSwept() async throws {
    let vault = FileVault(place.path("attachments"))
    let names = try [FileVault.newName(), FileVault.newName()]
    for (name, time) in zip(names, [Self.now, Self.now + 10]) {
      _ = try await vault.write(Pieces(pieces: [[1]]), as: name)
      try place.setWritingTime(time, of: "attachments/\(name.prefix(2))/\(name)")
    }
    #expect(try files.sweep(at: Self.later).removed == 1)
    #expect(!vault.has(names[0]) && vault.has(names[1]))
  }

  @Test func missingFilesAreReported() async throws {
    let lost = try file(of: try await add())
    let kept = try file(of: try await add())
    try place.remove(name(lost))
    let sweep = try files.sweep(at: Self.later)
    #expect(sweep.missing == [lost] && sweep.removed == 0)
    #expect(place.exists(name(kept)))
    await #expect { try await files.content(of: lost).reduce(into: []) { $0 += $1 } } throws: {
      SessionError.Family.fileSystem ~= $0
    }
  }

  @Test func oneThatCannotBeRemovedDoesNotKeepTheOthers() async throws {
    let stuck = try file(of: try await add())
    try await add()
    try place.remove(name(stuck))
    try place.makeFolder(name(stuck))
    try write { transaction in try transaction.deleteThread(thread) }
    let sweep = try files.removeReleased()
    #expect(sweep.removed == 1 && sweep.failures.map(\.path) == [stuck.path])
    // It is tried again.
    #expect(try orphans() == [stuck.path])
    try place.remove(name(stuck))
    #expect(try files.removeReleased().removed == 1)
    #expect(try orphans() == [])
  }
}
