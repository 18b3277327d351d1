import SessionCore
import SessionJobs
import SessionStorage
import Testing

@testable import SessionMessaging

/// What is downloaded automatically.
@Suite(.timeLimit(.minutes(5))) struct DownloadRulesTests {
  private func file(_ type: String, _ size: Int, isVoice: Bool = false) -> OutgoingFile {
    OutgoingFile(
      .bytes([UInt8](repeating: 7, count: size)), name: "f", contentType: type, isVoiceMessage: isVoice)
  }

  /// Bob has downloads from Alice on; the states of what she sends him.
  private func states(
    _ files: [OutgoingFile], _ change: (inout DownloadRules) throws -> Void = { _ in }
  ) async throws -> [AttachmentView.State] {
    var states: [AttachmentView.State] = []
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await bob.setDownloadsByItself(true, of: alice.id)
      var rules = DownloadRules()
      try change(&rules)
      try await bob.setDownloadRules(rules)
      try await alice.send(OutgoingText(""), attachments: files, to: .person(bob.id))
      try await world.settle(rounds: 5)
      states = try await bob.last(in: alice.id).attachments.map(\.state)
    }
    return states
  }

  @Test func eachKindHasALimit() async throws {
    let files = [
      file("audio/aac", 522_240, isVoice: true), file("audio/aac", 522_241, isVoice: true),
      file("video/mp4", 1_047_552), file("video/mp4", 1_047_553), file("text/plain", 1),
    ]
    #expect(try await states(files) == [.ready, .remote, .ready, .remote, .remote])
    let changed = try await states(files) { rules in
      try rules.setLimit(of: .voice, to: 0)
      try rules.setLimit(of: .video, to: DownloadRules.highest)
      try rules.setLimit(of: .file, to: 1)
    }
    #expect(changed == [.remote, .remote, .ready, .ready, .ready])
  }

  @Test func aDayHasABudget() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await bob.setDownloadsByItself(true, of: alice.id)
      var rules = DownloadRules()
      try rules.setLimit(of: .file, to: 1000)
      try rules.setBudget(1500)
      try await bob.setDownloadRules(rules)
      func arrive() async throws -> AttachmentView {
        try await alice.send(
          OutgoingText(""), attachments: [file("text/plain", 900)], to: .person(bob.id))
        try await world.settle(rounds: 5)
        return try #require(try await bob.last(in: alice.id).attachments.first)
      }
      #expect(try await arrive().state == .ready)
      let late = try await arrive()
      #expect(late.state == .remote)
      // By hand it comes all the same.
      try await bob.download(late.id)
      try await world.settle()
      #expect(try await bob.attachment(late.id)?.state == .ready)
      world.clock.advance(by: 86_400_000)
      #expect(try await arrive().state == .ready)
    }
  }

  /// Has Bob download a file as if it had come by itself, whatever its sender said of its size.
  private func arrive(claiming size: Int64, _ id: AttachmentView.ID, at bob: Messenger) async throws {
    try await bob.context.write { [context = bob.context] transaction, now in
      var record = try #require(try transaction.attachment(.init(rawValue: id.rawValue)))
      (record.byteCount, record.state) = (size, .pendingDownload)
      try transaction.update(record)
      try transaction.requestAutomaticDownload(record, at: now, context)
    }
  }

  private func spent(by device: Messenger) async throws -> Int64? {
    try await device.context.database.read { transaction in
      try transaction.value(of: .downloadsOfDay)?.split(separator: ":").dropFirst().first.flatMap {
        Int64($0)
      }
    }
  }

  private func setLimits(_ limit: Int64, budget: Int64, at device: Messenger) async throws {
    var rules = DownloadRules()
    try rules.setLimit(of: .file, to: limit)
    try rules.setBudget(budget)
    try await device.setDownloadRules(rules)
  }

  @Test(arguments: [1, 900, 1000] as [Int64]) func theBytesThatCameCount(claim: Int64) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await setLimits(1000, budget: 1_000_000, at: bob)
      try await alice.send(
        OutgoingText(""), attachments: [file("text/plain", 900)], to: .person(bob.id))
      try await world.settle(rounds: 4)
      let sent = try #require(try await bob.last(in: alice.id).attachments.first)
      try await arrive(claiming: claim, sent.id, at: bob)
      try await world.settle(rounds: 4)
      let sealed = try #require(world.files.files.values.first?.bytes.count)
      #expect(try await spent(by: bob) == Int64(sealed))
    }
  }

  @Test func whatDidNotComeCountsNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await setLimits(1000, budget: 1_000_000, at: bob)
      try await alice.send(
        OutgoingText(""), attachments: [file("text/plain", 900)], to: .person(bob.id))
      try await world.settle(rounds: 4)
      let sent = try #require(try await bob.last(in: alice.id).attachments.first)
      world.files.decide { _ in .refused(404) }
      try await arrive(claiming: 900, sent.id, at: bob)
      try await world.settle(rounds: 4)
      #expect(try await bob.attachment(sent.id)?.state == .unusable)
      #expect(try await spent(by: bob) == 0)
    }
  }

  /// Files requested together, each of which has room.
  @Test func filesThatComeTogetherShareTheBudget() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await bob.setDownloadsByItself(true, of: alice.id)
      try await setLimits(1000, budget: 1500, at: bob)
      try await alice.send(
        OutgoingText(""), attachments: [file("text/plain", 900), file("text/plain", 901)],
        to: .person(bob.id))
      try await world.settle(rounds: 6)
      let states = try await bob.last(in: alice.id).attachments.map(\.state)
      #expect(Set(states) == [.ready, .remote])
      let told = try await bob.events(limit: 1000).last { $0.reason != nil && $0.kind == .attachmentChanged }
      #expect(told?.reason == "automatic downloads have used the budget of the day")
    }
  }

  /// An attempt that was killed left a claim; the next attempt for the same file has room all the same.
  @Test func aFileClaimsOnce() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await setLimits(1000, budget: 1500, at: bob)
      try await alice.send(
        OutgoingText(""), attachments: [file("text/plain", 900), file("text/plain", 901)],
        to: .person(bob.id))
      try await world.settle(rounds: 4)
      let ids = try await bob.last(in: alice.id).attachments.map(\.id)
      let claims = try await bob.context.write { transaction, now in
        try [ids[0], ids[0], ids[1]].map { id in
          let record = try #require(try transaction.attachment(.init(rawValue: id.rawValue)))
          return try transaction.claimDownload(of: record, at: now)
        }
      }
      #expect(claims == [true, true, false])
    }
  }

  @Test func aFileThatTheServerSaysIsLargerIsNotFetched() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await setLimits(1000, budget: 1_000_000, at: bob)
      try await alice.send(
        OutgoingText(""), attachments: [file("text/plain", 200_000)], to: .person(bob.id))
      try await world.settle(rounds: 4)
      let sent = try #require(try await bob.last(in: alice.id).attachments.first)
      try await arrive(claiming: 1, sent.id, at: bob)
      try await world.settle(rounds: 4)
      #expect(try await bob.attachment(sent.id)?.state == .remote)
      #expect(world.files.requests(.get, "/info") == 1)
      let id = try #require(world.files.files.keys.first)
      #expect(world.files.requests(.get, id) == 0)
      #expect(try await (spent(by: bob) ?? 0) == 0)
    }
  }

  @Test func whatTheUserAsksForDuringAnAutomaticDownloadComes() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await setLimits(1000, budget: 1_000_000, at: bob)
      try await alice.send(
        OutgoingText(""), attachments: [file("text/plain", 200_000)], to: .person(bob.id))
      try await world.settle(rounds: 4)
      let sent = try #require(try await bob.last(in: alice.id).attachments.first)
      world.files.decide { _ in .held }
      try await arrive(claiming: 1, sent.id, at: bob)
      world.clock.advance(by: 60_000)
      await world.files.untilHeld()
      try await bob.download(sent.id)
      world.files.decide { _ in .done }
      world.files.release()
      try await world.settle(rounds: 6)
      #expect(try await bob.attachment(sent.id)?.state == .ready)
    }
  }

  @Test func switchingDownloadsOnFetchesTheNewestFiles() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      for _ in 0..<22 {
        try await alice.send(
          OutgoingText(""), attachments: [file("video/mp4", 10)], to: .person(bob.id))
      }
      try await world.settle(rounds: 6)
      try await bob.setDownloadsByItself(true, of: alice.id)
      try await world.settle(rounds: 6)
      let states = try await bob.messages(in: .person(alice.id)).compactMap { $0.attachments.first?.state }
      #expect(states == Array(repeating: .ready, count: 20) + [.remote, .remote])
    }
  }

  @Test func aFileThatIsLargerThanItSaidWaits() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.send(
        OutgoingText(""), attachments: [file("video/mp4", 200_000)], to: .person(bob.id))
      try await world.settle(rounds: 4)
      let sent = try #require(try await bob.last(in: alice.id).attachments.first)
      // As a message says that lies.
      try await bob.context.write { [context = bob.context] transaction, _ in
        let record = try #require(try transaction.attachment(.init(rawValue: sent.id.rawValue)))
        try transaction.requestDownload(record, upTo: 1000, at: context.jobTime)
      }
      try await world.settle(rounds: 4)
      #expect(try await bob.attachment(sent.id)?.state == .remote)
      let told = try await bob.events(limit: 1000).last { $0.kind == .attachmentChanged }
      #expect(told?.reason == "it is larger than its sender said")
      try await bob.download(sent.id)
      try await world.settle(rounds: 4)
      #expect(try await bob.attachment(sent.id)?.state == .ready)
    }
  }

  @Test func limitsAreChecked() throws {
    var rules = DownloadRules()
    for limit in [-1, DownloadRules.highest + 1] {
      #expect(throws: MessengerError.self) { try rules.setLimit(of: .file, to: limit) }
    }
    for budget in [-1, DownloadRules.highestBudget + 1] {
      #expect(throws: MessengerError.self) { try rules.setBudget(budget) }
    }
    #expect(rules == DownloadRules())
  }

  /// The form in which rules are stored, with any numbers.
  private struct Stored: Codable {
    var limits: [DownloadRules.Kind: Int64] = [:]
    var budget: Int64 = 0
  }

  @Test(arguments: [Int64.max, Int64.min, -1])
  func rulesOfAnArchiveThatCannotBeSetAreNotUsed(number: Int64) async throws {
    try await withAliceAndBob { (_, _, bob) async throws in
      for stored in [Stored(limits: [.image: number]), Stored(budget: number)] {
        let text = String(decoding: try JobPayload.encode(stored), as: UTF8.self)
        try await bob.context.write { transaction, _ in try transaction.set(.downloadRules, to: text) }
        let rules = try await bob.context.database.read { transaction in try transaction.downloadRules() }
        #expect(rules == DownloadRules())
      }
    }
  }
}
