import SessionCore
import Testing

@testable import SessionStorage

/// The rows and files of an account in an archive, and archives that were changed.
@Suite struct ArchiveExportTests {
  private let place: Workplace
  private let database: Database
  private let files: AccountFiles
  private let account: Account

  init() throws {
    place = try Workplace()
    database = try ExampleAccount.open(in: place)
    files = AccountFiles(database, in: place.path)
    account = try .generate()
  }

  private func export(
    _ change: (inout ArchiveExport.Contents) -> Void = { _ in }, for secrets: [ArchiveSecret]? = nil
  ) throws -> (bytes: [UInt8], report: ArchiveReport) {
    var contents = ArchiveExport.Contents()
    contents.settings = [ExampleAccount.colour.name]
    change(&contents)
    let export = ArchiveExport(
      database, files, contents,
      of: .init(account: account, name: "alice", network: "main", program: "test 1", created: 1))
    var bytes: [UInt8] = []
    let report = try export.write(for: secrets ?? [.account(account)]) { bytes += $0 }
    return (bytes, report)
  }

  /// Reads an archive in pieces that fit nothing.
  @discardableResult
  private func read(
    _ bytes: [UInt8], with secrets: [ArchiveSecret]? = nil, visit: @escaping (ArchiveEvent) -> Void = { _ in }
  ) throws -> ArchiveReading {
    var rest = bytes[...]
    return try ArchiveReading.read(opening: secrets ?? [.account(account)]) {
      defer { rest = rest.dropFirst(1009) }
      return Array(rest.prefix(1009))
    } visit: {
      visit($0)
    }
  }

  /// The rows of a table in an archive, by their columns.
  private func rows(of table: String, in bytes: [UInt8]) throws -> [[String: ArchiveValue]] {
    var columns: [String]?
    var rows: [[String: ArchiveValue]] = []
    try read(bytes) { event in
      switch event {
      case .table(let name, let names): columns = name == table ? names : nil
      case .row(let row):
        if let columns { rows.append(Dictionary(uniqueKeysWithValues: zip(columns, row))) }
      default: break
      }
    }
    return rows
  }

  private func count(_ table: String) throws -> Int64 {
    try database.read { transaction in
      let statement = try transaction.statements.connection.prepare("SELECT count(*) FROM \"\(table)\"")
      return try statement.step() ? statement.int64(0) : 0
    }
  }

  /// A migration that adds a table has to decide.
  @Test func eachTableTravelsOrStays() throws {
    let names: [String] = try database.values(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'messageSearch_%'"
    )
    #expect(Set(names) == Set(ArchiveTable.all.map(\.name)).union(ArchiveTable.staying))
    #expect(Set(ArchiveTable.all.map(\.name)).isDisjoint(with: ArchiveTable.staying))
  }

  @Test func allRowsThatTravelAreRead() throws {
    try database.write { transaction in try ExampleAccount.fill(transaction) }
    // The files of the example are not there.
    let (bytes, report) = try export {
      $0.hasDisappearing = true
      $0.files = .none
    }
    let reading = try read(bytes)
    for table in ArchiveTable.all {
      let read = Int64(reading.report.rows.first { $0.table == table.name }?.count ?? 0)
      let expected = table.name == "setting" ? 1 : table.name == "file" ? 0 : try count(table.name)
      #expect(read == expected, "\(table.name)")
      #expect(expected > 0 || table.name == "file", "\(table.name)")
    }
    #expect(reading.manifest.account == account.id.description && reading.manifest.name == "alice")
    #expect(reading.manifest.schema == Int64(Schema.account.version))
    #expect(reading.manifest.seed?.equals(try account.archiveSeed()) == true)
    #expect(reading.report.rows.map(\.table) == report.rows.map(\.table))
    let hello = try #require(
      try rows(of: "interaction", in: bytes).first { $0["body"] == .text("hello world") })
    #expect(hello["serverHash"] == .text("hash") && hello["info"] == .blob([1, 2]))
    #expect(try read(try export { $0.hasSeed = false }.bytes).manifest.seed == nil)
  }

  @Test func messagesThatDisappearStayWithAllOfTheirParts() throws {
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      for (index, seconds) in [0, 60].enumerated() {
        var message = ExampleAccount.message("\(seconds)", in: thread.id, at: Int64(index))
        if seconds > 0 { message.expiry = ExpiryTimer(.afterSend, seconds: Int64(seconds)) }
        message = try transaction.insert(message)
        try transaction.insert(QuoteRecord(of: message.id, author: ExampleAccount.me, sentAt: 50))
        try transaction.put(ReactionRecord(to: message.id, by: ExampleAccount.me, emoji: "👍", sentAt: 102))
        let attachment = try transaction.insert(
          AttachmentRecord(.file, .downloaded, contentType: "image/png", byteCount: 3, createdAt: 1))
        try transaction.attach([attachment.id], to: message.id)
      }
    }
    for (hasDisappearing, expected) in [(false, 1), (true, 2)] {
      let bytes = try export { $0.hasDisappearing = hasDisappearing }.bytes
      for table in ["interaction", "quote", "reaction", "attachment", "interactionAttachment"] {
        #expect(try rows(of: table, in: bytes).count == expected, "\(table)")
      }
    }
  }

  @Test func workUnderWayHasFailedOrBeginsAnew() throws {
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      for (index, state) in [InteractionRecord.State.sending, .syncing, .sent].enumerated() {
        var message = ExampleAccount.message("m", in: thread.id, at: Int64(index), by: ExampleAccount.me)
        message.state = state
        message = try transaction.insert(message)
        let states: [AttachmentRecord.State] = [.uploading, .downloading, .invalid]
        let attachment = try transaction.insert(
          AttachmentRecord(.file, states[index], contentType: "x", byteCount: 3, createdAt: 1))
        try transaction.attach([attachment.id], to: message.id)
      }
    }
    let bytes = try export().bytes
    func states(_ table: String) throws -> [ArchiveValue?] {
      try rows(of: table, in: bytes).map { $0["state"] }
    }
    #expect(try states("interaction") == [.integer(3), .integer(5), .integer(2)])
    #expect(try states("attachment") == [.integer(4), .integer(1), .integer(100)])
  }

  @Test func messagesToSendLaterAreMissedInAnArchive() throws {
    try database.write { transaction in
      for state in ScheduledRecord.State.allCases {
        var later = ScheduledRecord(
          to: ExampleAccount.bob, body: "b", at: Int64(state.rawValue), zone: "UTC", late: 1, createdAt: 1)
        later.state = state
        later.jobID = .init(rawValue: 7)
        later.interactionID = .init(rawValue: 8)
        if state != .waiting { later.settledAt = 2 }
        let file = try transaction.insert(
          AttachmentRecord(.file, .uploaded, contentType: "x", byteCount: 3, createdAt: 1))
        try transaction.insert(later, attachments: [file.id])
      }
    }
    let bytes = try export().bytes
    let later = try rows(of: "scheduled", in: bytes)
    #expect(later.map { $0["state"] } == [.integer(2), .integer(1), .integer(2), .integer(3)])
    #expect(later.allSatisfy { $0["jobID"] == nil && $0["interactionID"] == nil && $0["settledAt"] == nil })
    #expect(later[0]["failure"] == .text("it came from an archive"))
    for table in ["attachment", "scheduledAttachment"] {
      #expect(try rows(of: table, in: bytes).count == 4, "\(table)")
    }
  }

  // MARK: - Files

  private func addFile(_ content: [UInt8]) async throws -> FileRecord {
    let id = try await files.add(Pieces(pieces: [content]), to: .attachments, at: 1) { (transaction, file) in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      let time: Int64 = try transaction.value("SELECT ifnull(max(id), 0) FROM interaction") ?? 0
      var attachment = AttachmentRecord(
        .file, .downloaded, contentType: "image/png", byteCount: 3, createdAt: 1)
      attachment.url = "https://files.example/\(time)"
      attachment.fileID = file
      attachment = try transaction.insert(attachment)
      let message = try transaction.insert(ExampleAccount.message("see", in: thread.id, at: time))
      try transaction.attach([attachment.id], to: message.id)
      return file
    }
    return try #require(try stored { transaction in try transaction.file(id) })
  }

  // Without the choice between waiting for the database and not, which tests that wait for other things would have.
  private func stored<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    try database.read(body)
  }

  private func name(_ file: FileRecord) -> String {
    let name = file.path.dropFirst("attachments/".count)
    return "attachments/\(name.prefix(2))/\(name)"
  }

  @Test func filesTravelDecrypted() async throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let file = try await addFile(content)
    let (bytes, report) = try export()
    #expect(report.files == 1 && report.fileBytes == 200_000 && report.isWhole)
    var read: [UInt8] = []
    var begun: ArchiveFile?
    try self.read(bytes) { event in
      switch event {
      case .file(let file): begun = file
      case .content(let piece): read += piece
      default: break
      }
    }
    #expect(read == content)
    #expect(try rows(of: "file", in: bytes).first.map { $0["localKey"] == nil && $0["path"] == nil } == true)
    #expect(begun == ArchiveFile(id: file.id.rawValue, size: 200_000, folder: .attachments))
  }

  @Test func filesThatCannotBeReadAreProblems() async throws {
    let missing = try await addFile([1])
    let damaged = try await addFile([2])
    _ = try await addFile([3])
    try place.remove(name(missing))
    var sealed = try place.read(name(damaged))
    sealed[sealed.count - 1] ^= 1
    try place.remove(name(damaged))
    try place.write(sealed, to: name(damaged))
    let (bytes, report) = try export()
    #expect(report.problems.map(\.kind) == ["fileMissing", "fileUnreadable"])
    #expect(report.problems.map(\.item) == ["file \(missing.id)", "file \(damaged.id)"])
    #expect(report.files == 1 && !report.isWhole)
    let reading = try read(bytes)
    #expect(reading.report.problems == report.problems && reading.report.files == 1)
  }

  @Test func withoutFilesTheyAreDownloadedAgain() async throws {
    _ = try await addFile([1])
    for files in [ArchiveManifest.Files.pictures, .none] {
      let (bytes, report) = try export { $0.files = files }
      #expect(report.files == 0 && report.isWhole)
      let attachment = try #require(try rows(of: "attachment", in: bytes).first)
      #expect(attachment["fileID"] == .null && attachment["state"] == .integer(1))
      #expect(try rows(of: "file", in: bytes).isEmpty)
    }
  }

  // MARK: - Opening

  @Test func onlyItsSecretsOpenAnArchive() throws {
    let key = try SecretBytes.random(count: 32)
    let bytes = try export(for: [.account(account), .keyFile(key)]).bytes
    try read(bytes)
    try read(bytes, with: [.keyFile(key)])
    for (secret, code) in [
      (ArchiveSecret.account(try .generate()), SessionError.Code.archiveWrongKey),
      (.keyFile(try .random(count: 32)), .archiveWrongKey),
      (try ArchiveSecret(passphrase: Array("open".utf8)), .archiveNoSlot),
    ] {
      #expect { try read(bytes, with: [secret]) } throws: { ($0 as? SessionError)?.code == code }
    }
    #expect(try ArchiveHeader(bytes).slots == [.account, .keyFile])
    for text in ["", String(repeating: "x", count: 1025)] {
      #expect(throws: StorageError.self) { try ArchiveSecret(passphrase: Array(text.utf8)) }
    }
    #expect(throws: StorageError.self) { try ArchiveSecret(passphrase: [0xFF]) }
  }

  @Test func anArchiveThatWasChangedOrCutIsRefused() throws {
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      try transaction.insert(ExampleAccount.message("hello", in: thread.id, at: 1))
    }
    let bytes = try export().bytes
    try read(bytes)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(throws: SessionError.self, "byte \(index)") { try read(changed) }
    }
    for count in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: SessionError.self, "\(count) bytes") { try read(Array(bytes.prefix(count))) }
    }
    #expect(throws: SessionError.self) { try read(bytes + [0]) }
  }

  @Test func anExportEndsWhenItIsToldTo() throws {
    struct Stop: Error {}
    let export = ArchiveExport(
      database, files, .init(),
      of: .init(account: account, name: "alice", network: "main", program: "test 1", created: 1))
    #expect(throws: Stop.self) {
      try export.write(for: [.account(account)]) { _ in
      } watch: { _ in
        throw Stop()
      }
    }
    // The database is free again.
    try database.write { transaction in try ExampleAccount.fill(transaction) }
  }
}
