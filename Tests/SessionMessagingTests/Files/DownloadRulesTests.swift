import SessionCore
import SessionJobs
import SessionStorage
import Testing

@testable import SessionMessaging

/// What is downloaded automatically.
@Suite struct DownloadRulesTests {
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
