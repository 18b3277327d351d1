import SessionCore
import Synchronization
import Testing

@testable import SessionStorage

/// Archives that are added to an account that is there.
@Suite struct ArchiveMergeTests {
  private let place: Workplace
  /// The account as it was imported, and the one on this machine.
  private let source: Database
  private let target: Database
  private static let lena = "05" + String(repeating: "e", count: 64)

  init() throws {
    place = try Workplace()
    source = try Self.opened("source", in: place)
    target = try Self.opened("target", in: place)
  }

  private static func opened(_ side: String, in place: Workplace) throws -> Database {
    for shelf in ["attachments", "avatars"] { try place.makeFolder("\(side)/\(shelf)") }
    return try Database.open(
      place.path("\(side)/messages.db"), key: .example(), schema: .account, options: .impatient)
  }

  private struct Stop: Error {}

  @discardableResult
  private func merge(
    bringingBack: Bool = false, watch: @escaping @Sendable () throws -> Void = {}
  ) throws -> ArchiveMergeReport {
    try ArchiveMerge(
      from: source, in: place.path("source"), into: target, in: place.path("target"), own: ExampleAccount.me,
      settings: [ExampleAccount.colour.name], bringingBack: bringingBack, watch: watch
    ).run { _, _ in }
  }

  /// Something in every table. The files of the example are not there.
  private func fill() async throws {
    try await source.write { transaction in
      try ExampleAccount.fill(transaction)
      try transaction.run("UPDATE attachment SET fileID = NULL")
      try transaction.run("UPDATE profile SET pictureFileID = NULL")
    }
  }

  private func tally(_ report: ArchiveMergeReport, _ table: String) -> [Int] {
    guard let tally = report.tables.first(where: { $0.name == table })?.tally else { return [] }
    return [tally.added, tally.here, tally.skipped]
  }

  /// A message with these words at this time, in the conversation with Bob.
  @discardableResult
  private func message(
    _ body: String, at time: Int64, in database: Database, with address: String = ExampleAccount.bob,
    change: (inout InteractionRecord) -> Void = { _ in }
  ) throws -> InteractionRecord {
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: address, .contact, createdAt: time)
      var message = ExampleAccount.message(body, in: thread.id, at: time)
      change(&message)
      return try transaction.insert(message)
    }
  }

  private func file(_ content: [UInt8], at time: Int64) async throws {
    let files = AccountFiles(source, in: place.path("source"))
    try await files.add(Pieces(pieces: [content]), to: .attachments, at: 1) { transaction, file in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      var attachment = AttachmentRecord(
        .file, .downloaded, contentType: "text/plain", byteCount: 3, createdAt: 1)
      attachment.fileID = file
      attachment = try transaction.insert(attachment)
      let message = try transaction.insert(ExampleAccount.message("see", in: thread.id, at: time))
      try transaction.attach([attachment.id], to: message.id)
    }
  }

  private func bodies(with address: String = ExampleAccount.bob) throws -> [String?] {
    try target.read { transaction in
      guard let thread = try transaction.thread(at: address) else { return [] }
      return try transaction.page(of: thread.id, limit: 100).map(\.body).reversed()
    }
  }

  private func found(_ words: String) throws -> [String?] {
    try target.read { transaction in try transaction.search(words).found.map(\.body) }
  }

  /// The content of the only file of a message here.
  private func content(of body: String) throws -> [UInt8]? {
    let file = try target.read { transaction -> FileRecord? in
      guard let message = try transaction.search(body).found.first,
        let attachment = try transaction.attachments(of: message.id).first, let id = attachment.fileID
      else { return nil }
      return try transaction.file(id)
    }
    guard let file else { return nil }
    var content: [UInt8] = []
    try AccountFiles(target, in: place.path("target")).read(file) { content += $0 }
    return content
  }

  @Test func aMergeAddsMessagesInTheirPlacesAndFindsThem() throws {
    try message("first", at: 10, in: source)
    let shared = try message("second", at: 20, in: source)
    try source.write { transaction in
      try transaction.put(ReactionRecord(to: shared.id, by: Self.lena, emoji: "👍", sentAt: 25))
    }
    try message("elsewhere", at: 5, in: source, with: Self.lena)
    let kept = try message("second", at: 20, in: target)
    try message("third", at: 30, in: target)
    let report = try merge()
    #expect(tally(report, "interaction") == [2, 1, 0])
    #expect(try bodies() == ["first", "second", "third"])
    #expect(try bodies(with: Self.lena) == ["elsewhere"])
    #expect(try found("first") == ["first"])
    let emojis = try target.read { transaction in try transaction.reactions(to: kept.id).map(\.emoji) }
    #expect(emojis == ["👍"])
    #expect(try target.integrityCheck().isSound)
  }

  @Test func tagsOfBothSidesAreKept() throws {
    func tag(_ names: [String], _ address: String, in database: Database) throws {
      try database.write { transaction in
        for name in names {
          let tag = try transaction.insert(
            TagRecord(name, searchName: name.lowercased(), position: try transaction.nextTagPosition()))
          try transaction.add(tag.id, to: address)
        }
      }
    }
    try tag(["Work", "Home"], ExampleAccount.bob, in: source)
    try tag(["Club", "WORK"], Self.lena, in: target)
    let report = try merge()
    #expect(tally(report, "tag") == [1, 1, 0] && tally(report, "threadTag") == [2, 0, 0])
    func names(_ address: String) throws -> [String] {
      try target.read { transaction in try transaction.tags(of: address).map(\.name) }
    }
    #expect(try names(ExampleAccount.bob) == ["WORK", "Home"])
    #expect(try names(Self.lena) == ["Club", "WORK"])
  }

  @Test func tagsBeyondTheLimitStayAway() throws {
    func fill(_ database: Database, _ prefix: String, _ count: Int) throws {
      try database.write { transaction in
        for number in 0..<count {
          let tag = try transaction.insert(
            TagRecord("\(prefix)\(number)", searchName: "\(prefix)\(number)", position: number))
          if number < TagRecord.limitOfConversation { try transaction.add(tag.id, to: ExampleAccount.bob) }
        }
      }
    }
    try fill(source, "a", 2)
    try fill(target, "b", TagRecord.limit - 1)
    let report = try merge()
    #expect(tally(report, "tag") == [1, 0, 1] && tally(report, "threadTag") == [0, 0, 2])
  }

  @Test func messagesToSendLaterAreTakenOnceAndNotSent() throws {
    var later = ScheduledRecord(
      to: ExampleAccount.bob, body: "later", at: 9, zone: "UTC", late: 1, createdAt: 5)
    later.state = .missed
    later.settledAt = 11
    try source.write { transaction in
      let file = try transaction.insert(
        AttachmentRecord(.file, .uploaded, contentType: "x", byteCount: 3, createdAt: 1))
      try transaction.insert(later, attachments: [file.id])
      later.state = .sent
      try transaction.insert(later)
    }
    #expect(tally(try merge(), "scheduled") == [1, 0, 0])
    #expect(tally(try merge(), "scheduled") == [0, 1, 0])
    let files = try target.read { transaction in
      try transaction.allScheduled().map { ($0.state, try transaction.attachments(of: $0.id).count) }
    }
    // The month in which they can be sent begins on this device.
    #expect(try target.read { try $0.allScheduled().map(\.settledAt) } == [nil])
    #expect(files.map(\.0) == [.missed] && files.map(\.1) == [1])
  }

  @Test func aSecondMergeChangesNothing() async throws {
    try await fill()
    try await file([1, 2, 3], at: 77)
    #expect(try merge().added > 0)
    let before = try rows()
    let second = try merge()
    #expect(second.added == 0, "\(second.tables)")
    #expect(try rows() == before)
  }

  /// All rows here, without those that differ with each run.
  private func rows() throws -> [String: [[ArchiveValue]]] {
    try target.read { transaction in
      var rows: [String: [[ArchiveValue]]] = [:]
      for table in ArchiveTable.all {
        let all = ArchiveRows(
          table: ArchiveTable(name: table.name), scope: .init(), settings: [ExampleAccount.colour.name],
          statements: transaction.statements)
        try all.forEach { _ in
        } take: { row, _ in
          rows[table.name, default: []].append(row)
        }
      }
      return rows
    }
  }

  @Test func messagesDeletedHereStayDeletedUnlessBroughtBack() throws {
    try message("seen", at: 1_000_000, in: source) { $0.serverHash = "hash" }
    try message("old", at: 2_000_000, in: source, with: Self.lena)
    try message("new", at: 9_000_000, in: source, with: Self.lena)
    try target.write { transaction in
      _ = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      try transaction.insert(
        SeenMessage("hash", in: ExampleAccount.me, expiresAt: nil, diesWithThread: false))
      try transaction.put(TombstoneRecord(Self.lena, at: 5_000_000))
    }
    #expect(tally(try merge(), "interaction") == [1, 0, 2])
    #expect(try bodies() == [] && bodies(with: Self.lena) == ["new"])
    #expect(tally(try merge(bringingBack: true), "interaction") == [2, 1, 0])
    #expect(try bodies() == ["seen"] && bodies(with: Self.lena) == ["old", "new"])
  }

  @Test func groupsThatTheConfigsDoNotHaveAreNotMade() throws {
    try source.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.groupID, .group, createdAt: 1)
      try transaction.insert(ExampleAccount.message("in the group", in: thread.id, at: 1))
    }
    #expect(tally(try merge(bringingBack: true), "interaction") == [0, 0, 1])
    #expect(try target.read { try $0.thread(at: ExampleAccount.groupID) } == nil)
  }

  @Test func ofTheSameMessageEachSideKeepsWhatTheOtherLacks() throws {
    try message("gone there", at: 1, in: source) {
      $0.kind = .incomingDeleted
      $0.body = nil
    }
    try message("gone here", at: 2, in: source)
    try message("read there, in full", at: 3, in: source) { $0.wasRead = true }
    try message("gone there", at: 1, in: target)
    try message("", at: 2, in: target) { $0.kind = .incomingDeletedLocally }
    try message("read there", at: 3, in: target)
    try merge()
    let merged = try target.read { transaction in
      let thread = try #require(try transaction.thread(at: ExampleAccount.bob))
      return try transaction.page(of: thread.id, limit: 10)
    }
    #expect(merged.map(\.kind) == [.incoming, .incomingDeletedLocally, .incomingDeleted])
    #expect(merged.map(\.body) == ["read there, in full", "", nil])
    #expect(merged.map(\.wasRead) == [true, false, false])
    #expect(try found("gone").isEmpty)
  }

  @Test func filesTravelWithTheirMessages() async throws {
    try await file([1, 2, 3], at: 50)
    try merge()
    // The archive is deleted then.
    try place.remove("source")
    #expect(try content(of: "see") == [1, 2, 3])
    #expect(try target.integrityCheck().isSound)
  }

  @Test func aFileThatThisSideLacksIsTaken() async throws {
    try await file([4, 5], at: 50)
    try await target.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      let attachment = try transaction.insert(
        AttachmentRecord(.file, .pendingDownload, contentType: "text/plain", byteCount: 3, createdAt: 1))
      let message = try transaction.insert(ExampleAccount.message("see", in: thread.id, at: 50))
      try transaction.attach([attachment.id], to: message.id)
    }
    try merge()
    #expect(try content(of: "see") == [4, 5])
  }

  @Test func theNewerProfileStaysWithTheNicknameOfThisSide() throws {
    func profile(_ name: String, at time: Int64, nickname: String?) -> ProfileRecord {
      var profile = ProfileRecord(ExampleAccount.bob, name: name, updatedAt: time)
      profile.nickname = nickname
      return profile
    }
    try source.write { try $0.put(profile("Robert", at: 9, nickname: "Old")) }
    try target.write { try $0.put(profile("Bob", at: 5, nickname: "Bobby")) }
    try merge()
    let merged = try target.read { try $0.profile(ExampleAccount.bob) }
    #expect(merged?.name == "Robert" && merged?.nickname == "Bobby")
    try source.write { try $0.put(profile("Older", at: 1, nickname: nil)) }
    try merge()
    #expect(try target.read { try $0.profile(ExampleAccount.bob)?.name } == "Robert")
  }

  @Test func anInterruptionBeforeAnyCommitLeavesAWholeAccountThatCanBeMerged() async throws {
    try await fill()
    try await file([1, 2, 3], at: 77)
    let commits = Counter()
    while true {
      let limit = commits.next()
      let steps = Counter()
      do {
        try merge { if steps.next() > limit { throw Stop() } }
        #expect(limit > 5)
        break
      } catch is Stop {
        #expect(try target.integrityCheck().isSound, "after \(limit) commits")
      }
    }
    #expect(try merge().added == 0)
    #expect(try content(of: "see") == [1, 2, 3])
  }
}

/// Counts from zero.
private final class Counter: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
