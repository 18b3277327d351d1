import SessionCore
import Testing

@testable import SessionStorage

/// Archives that become accounts.
@Suite struct ArchiveImportTests {
  private let place: Workplace
  private let database: Database
  private let account: Account
  private static let phrase = Setting<String>("recoveryPhrase")

  init() throws {
    place = try Workplace()
    database = try ExampleAccount.open(in: place)
    account = try .generate()
  }

  private func archive(_ change: (inout ArchiveExport.Contents) -> Void = { _ in }) throws -> [UInt8] {
    var contents = ArchiveExport.Contents()
    contents.settings = [ExampleAccount.colour.name]
    contents.hasDisappearing = true
    change(&contents)
    let export = ArchiveExport(
      database, AccountFiles(database, in: place.path), contents,
      of: .init(account: account, name: "alice", network: "main", program: "test 1", created: 1))
    var bytes: [UInt8] = []
    _ = try export.write(for: [.account(account)]) { bytes += $0 }
    return bytes
  }

  private struct Stop: Error {}

  /// Imports an archive, or only so many bytes of it, after which it is interrupted.
  private func importing(
    _ bytes: [UInt8], upTo count: Int = .max,
    finish: (borrowing WriteTransaction, ArchiveReport) throws -> Void = { transaction, _ in
      try transaction.set(phrase, to: "words")
    }
  ) throws -> ArchiveReport {
    if !place.exists("new") {
      for name in ["new", "new/attachments", "new/avatars"] { try place.makeFolder(name) }
    }
    let header = try ArchiveHeader(bytes)
    func pieces(upTo count: Int) -> () throws -> [UInt8] {
      var read = 0
      return {
        guard read < count else { throw Stop() }
        defer { read += 997 }
        return Array(bytes.dropFirst(read).prefix(997))
      }
    }
    let manifest = try ArchiveImport.manifest(opening: [.account(account)], next: pieces(upTo: .max))
    return try ArchiveImport(into: place.path("new"), settings: [ExampleAccount.colour.name]).run(
      header, manifest, key: .example(), opening: [.account(account)], next: pieces(upTo: count),
      finish: finish)
  }

  private func imported() throws -> Database {
    try Database.open(place.path("new/messages.db"), key: .example(), schema: .account, options: .impatient)
  }

  private func rows(_ table: ArchiveTable, in database: Database) throws -> [[ArchiveValue]] {
    try database.read { transaction in
      var rows: [[ArchiveValue]] = []
      let all = ArchiveRows(
        table: ArchiveTable(name: table.name, omitted: table.omitted), scope: .init(),
        settings: [ExampleAccount.colour.name],
        statements: transaction.statements)
      try all.forEach { _ in
      } take: { row, _ in
        rows.append(row)
      }
      return rows
    }
  }

  private func addFile(_ content: [UInt8], missing: Bool = false) async throws {
    let files = AccountFiles(database, in: place.path)
    let path = try await files.add(Pieces(pieces: [content]), to: .attachments, at: 1) {
      (transaction, file) in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      let time: Int64 = try transaction.value("SELECT ifnull(max(id), 0) FROM interaction") ?? 0
      var attachment = AttachmentRecord(
        .file, .downloaded, contentType: "image/png", byteCount: 3, createdAt: 1)
      attachment.url = "https://files.example/\(time)"
      attachment.fileID = file
      attachment = try transaction.insert(attachment)
      let message = try transaction.insert(ExampleAccount.message("see \(time)", in: thread.id, at: time))
      try transaction.attach([attachment.id], to: message.id)
      return try transaction.file(file)?.path ?? ""
    }
    let name = path.dropFirst("attachments/".count)
    if missing { try place.remove("attachments/\(name.prefix(2))/\(name)") }
  }

  @Test func anImportedAccountHasAllThatTravelled() async throws {
    try await addFile((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    try database.changed { transaction in try ExampleAccount.fill(transaction) }
    let report = try importing(try archive())
    // The files of the example are not there.
    #expect(Set(report.problems.map(\.kind)) == ["fileUnreadable"] && report.files == 1)
    let new = try imported()
    for table in ArchiveTable.all
    where !["file", "attachment", "profile", "setting", "interaction", "closedGroup", "community"].contains(
      table.name)
    {
      #expect(try rows(table, in: new) == rows(table, in: database), "\(table.name)")
    }
    #expect(try new.integrityCheck().isSound)
    let colours = try [database, new].map {
      try $0.seen { transaction in try transaction.value(of: ExampleAccount.colour) }
    }
    #expect(colours[0] != nil && colours[0] == colours[1])
    #expect(try new.seen { transaction in try transaction.value(of: Self.phrase) } == "words")
    let files = try new.seen { transaction in try transaction.files() }
    #expect(files.map(\.byteCount) == [100_000])
    var content: [UInt8] = []
    try AccountFiles(new, in: place.path("new")).read(files[0]) { content += $0 }
    #expect(content == (0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    // New rows get numbers that were never used.
    let last: Int64 = try database.seen { transaction in
      try transaction.value("SELECT seq FROM sqlite_sequence WHERE name = 'interaction'") ?? 0
    }
    let next = try new.changed { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      return try transaction.insert(ExampleAccount.message("later", in: thread.id, at: 9_999_999)).id
    }
    #expect(next.rawValue > last)
    try new.close()
  }

  @Test func anInterruptedImportGoesOnWhereItWas() async throws {
    for index in 0..<3 { try await addFile([UInt8](repeating: UInt8(index), count: 5000)) }
    try database.changed { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      for index in 0..<5000 {
        try transaction.insert(
          ExampleAccount.message("message \(index)", in: thread.id, at: 1000 + Int64(index)))
      }
    }
    let bytes = try archive { $0.isCompressed = false }
    for count in Swift.stride(from: 20_000, to: bytes.count, by: 150_000) {
      #expect(throws: Stop.self) { try importing(bytes, upTo: count) }
    }
    #expect(try importing(bytes).isWhole)
    let new = try imported()
    for table in ArchiveTable.all where !["file", "setting"].contains(table.name) {
      #expect(try rows(table, in: new) == rows(table, in: database), "\(table.name)")
    }
    #expect(try new.seen { transaction in try transaction.files().count } == 3)
    #expect(try new.integrityCheck().isSound)
    try new.close()
  }

  @Test func problemsOfAnInterruptedImportAreReportedAtItsEnd() throws {
    try database.changed { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      for index in 0..<3000 {
        try transaction.insert(ExampleAccount.message("message \(index)", in: thread.id, at: Int64(index)))
      }
      // No row has such a number.
      try transaction.run(
        "DELETE FROM messageText WHERE interactionID = (SELECT id FROM interaction WHERE sentAt = 1)")
      try transaction.run("UPDATE interaction SET id = -5 WHERE sentAt = 1")
    }
    let bytes = try archive { $0.isCompressed = false }
    #expect(throws: Stop.self) { try importing(bytes, upTo: bytes.count - 2000) }
    let report = try importing(bytes, upTo: .max)
    #expect(report.problems.map(\.item) == ["interaction"])
    #expect(report.problemCount == 1 && !report.isWhole)
  }

  @Test func anImportGoesOnBehindItsLastRow() throws {
    try database.changed { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      try transaction.insert(ExampleAccount.message("hello", in: thread.id, at: 1))
    }
    let bytes = try archive()
    #expect(throws: Stop.self) { try importing(bytes) { _, _ in throw Stop() } }
    let found = ArchiveImport(into: place.path("new"), settings: [])
    #expect(found.isBegun(try ArchiveHeader(bytes).id, key: try .example()))
    // Nothing of it is read again.
    let report = try importing(bytes, upTo: 0)
    #expect(report.rows.first { $0.table == "interaction" }?.count == 1)
    // Nor is the end done twice.
    #expect(
      try importing(bytes, upTo: 0) { _, _ in throw Stop() }.rows.map(\.table) == report.rows.map(\.table))
    let new = try imported()
    #expect(try new.seen { transaction in try transaction.value(of: Self.phrase) } == "words")
    try new.close()
  }

  @Test func anotherArchiveDoesNotContinueAnImport() async throws {
    try await addFile([1])
    let bytes = try archive()
    #expect(throws: Stop.self) { try importing(bytes, upTo: bytes.count - 1) }
    let found = ArchiveImport(into: place.path("new"), settings: [])
    #expect(found.isBegun(try ArchiveHeader(bytes).id, key: try .example()))
    #expect(!found.isBegun(try ArchiveHeader(try archive()).id, key: try .example()))
  }

  @Test func filesThatDidNotTravelAreDownloadedAgain() async throws {
    try await addFile([1, 2, 3], missing: true)
    let report = try importing(try archive())
    #expect(report.problems.map(\.kind) == ["fileMissing"])
    let new = try imported()
    let states: [Int] = try new.values("SELECT state FROM attachment WHERE fileID IS NULL")
    #expect(states == [AttachmentRecord.State.pendingDownload.rawValue])
    #expect(try new.seen { transaction in try transaction.files().isEmpty })
    try new.close()
  }
}

// Without the choice between waiting for the database and not, which tests that wait for other things would have.
extension Database {
  fileprivate func seen<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R { try read(body) }

  fileprivate func changed<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    try write(.durable, body)
  }
}
