import SeededNumbers
import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Synchronization
import Testing

@testable import SessionServers

/// Polls that are answered from memory.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityMemoryTests {
  /// The batch that clients send while nothing happens.
  private func poll(
    _ site: CommunitySite, _ member: Member?, since number: Int64, info: Int64, _ more: [String] = []
  ) async throws -> CommunitySite.Answer {
    var elements: [JSONValue] = [
      ["method": "GET", "path": "/capabilities"],
      ["method": "GET", "path": .string("/room/lobby/pollInfo/\(info)")],
      ["method": "GET", "path": .string("/room/lobby/messages/since/\(number)?t=r&reactors=5")],
    ]
    if member != nil {
      elements.append(["method": "GET", "path": "/inbox/since/100"])
      elements.append(["method": "GET", "path": "/outbox/since/100"])
    }
    elements += more.map { ["method": "GET", "path": .string($0)] }
    return try await site.call(member, "POST", "/batch", json: .array(elements))
  }

  /// Polls until an answer comes from memory, and returns it. A server that shares its rows may not hear yet of what others
  /// change.
  private func pollAtRest(_ site: CommunitySite, _ member: Member?, since number: Int64, info: Int64)
    async throws
    -> CommunitySite.Answer
  {
    let memory = site.server.store.memory
    while true {
      try Task.checkCancellation()
      let count = memory.answerCount
      let answer = try await poll(site, member, since: number, info: info)
      try #require(answer.status == 200)
      if memory.answerCount > count { return answer }
    }
  }

  @Test(.timeLimit(.minutes(1))) func peopleWithoutLettersAreAnsweredFromMemory() async throws {
    try await withCommunity { (site) async throws in
      let (reader, writer) = (try site.member(), try site.member())
      let memory = site.server.store.memory
      for path in ["/inbox", "/outbox"] {
        let first = try await site.call(reader, "GET", path)
        #expect(first.status == 200 && first.json == [])
        while true {
          try Task.checkCancellation()
          let count = memory.answerCount
          let answer = try await site.call(reader, "GET", path)
          #expect(answer.status == 200 && answer.body == first.body)
          if memory.answerCount > count { break }
        }
      }
      let letter: JSONValue = ["message": .string([UInt8](repeating: 0, count: 60).base64)]
      let sent = try await site.call(writer, "POST", "/inbox/\(reader.id)", json: letter)
      #expect(sent.status == 201)
      #expect(try await site.call(reader, "GET", "/inbox").json.elements.count == 1)
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func pollsAtRestAreAnsweredFromMemory(isSigned: Bool) async throws {
    try await withCommunity { (site) async throws in
      let author = try site.member()
      let reader = isSigned ? try site.member() : nil
      let message = try await site.post("one", as: author)
      let number = try #require(message["seqno"]?.integer)
      let first = try await poll(site, reader, since: number, info: 0)
      let rest = try await pollAtRest(site, reader, since: number, info: 0)
      #expect(rest.body == first.body)
      #expect(
        rest.json.elements.map { $0["code"]?.integer }
          == (isSigned ? [200, 200, 200, 304, 304] : [200, 200, 200]))
      // The next change is there at once.
      try await site.post("two", as: author)
      let count = site.server.store.memory.answerCount
      let changed = try await poll(site, reader, since: number, info: 0)
      #expect(changed.json.elements[2]["body"]?.elements.compactMap { Member.text($0) } == ["two"])
      #expect(site.server.store.memory.answerCount == count)
      _ = try await pollAtRest(site, reader, since: number + 1, info: 0)
    }
  }

  @Test(.timeLimit(.minutes(1))) func aReaderWhoIsBannedIsRefusedAtOnce() async throws {
    try await withCommunity { (site) async throws in
      let (admin, reader) = (try await site.admin(), try site.member())
      for (ban, expected) in [(["rooms": ["lobby"]], [200, 403, 403, 304, 304]), (["global": true], [])]
        as [(JSONValue, [Int64])]
      {
        _ = try await pollAtRest(site, reader, since: 0, info: 0)
        _ = try await site.call(admin, "POST", "/user/\(reader.id)/ban", json: ban)
        let answer = try await poll(site, reader, since: 0, info: 0)
        #expect(answer.json.elements.map { $0["code"]?.integer } == expected)
        #expect(answer.status == (expected.isEmpty ? 403 : 200))
        _ = try await site.call(admin, "POST", "/user/\(reader.id)/unban", json: ban)
      }
      _ = try await pollAtRest(site, reader, since: 0, info: 0)
    }
  }

  @Test(.timeLimit(.minutes(1))) func aLetterIsSeenAtOnce() async throws {
    try await withCommunity { (site) async throws in
      let (sender, recipient) = (try site.member(), try site.member())
      func letters(_ member: Member, _ box: String) async throws -> Int {
        let answer = try await site.call(member, "GET", "/\(box)/since/0")
        try #require([200, 304].contains(answer.status))
        return answer.json.elements.count
      }
      let memory = site.server.store.memory
      for (member, box) in [(recipient, "inbox"), (sender, "outbox")] {
        let count = memory.answerCount
        while memory.answerCount == count { #expect(try await letters(member, box) == 0) }
      }
      let body = JSONValue.object([.init("message", .string(([0] + [UInt8](repeating: 7, count: 60)).base64))]
      )
      #expect(try await site.call(sender, "POST", "/inbox/\(recipient.id)", json: body).status == 201)
      #expect(try await letters(recipient, "inbox") == 1)
      #expect(try await letters(sender, "outbox") == 1)
    }
  }

  /// What one member may have to do with others, at random.
  private func act(
    _ site: CommunitySite, _ admin: Member, _ members: [Member], _ generator: inout SeededGenerator
  ) async throws -> String {
    let someone = members.randomElement(using: &generator) ?? admin
    let other = members.randomElement(using: &generator) ?? admin
    let bool = JSONValue.boolean(Bool.random(using: &generator))
    site.clock.advance(.seconds(5))
    let number = Int.random(in: 1...6, using: &generator)
    let (path, by, json): (String, Member, JSONValue)
    switch Int.random(in: 0..<16, using: &generator) {
    case 0, 1: (path, by, json) = ("/room/lobby/message", someone, try someone.post("hello"))
    case 2: (path, by, json) = ("/user/\(someone.id)/ban", admin, ["rooms": ["lobby"]])
    case 3: (path, by, json) = ("/user/\(someone.id)/unban", admin, ["rooms": ["lobby"]])
    case 4:
      (path, by, json) = ("/user/\(someone.id)/moderator", admin, ["rooms": ["lobby"], "moderator": bool])
    case 5:
      (path, by, json) = ("/room/lobby/permissions/\(someone.id)", admin, ["write": bool, "read": bool])
    case 6:
      (path, by, json) = (
        "/room/lobby/permissions/\(someone.id)", admin, ["default_read": true, "default_write": true]
      )
    case 7:
      let body = ([0] + [UInt8](repeating: 7, count: 60)).base64
      (path, by, json) = ("/inbox/\(other.id)", someone, .object([.init("message", .string(body))]))
    case 8:
      let change = JSONValue.object([.init("default_write", bool), .init("default_accessible", bool)])
      return "change the room \(try await site.call(admin, "PUT", "/room/lobby", json: change).status)"
    case 9:
      try await site.tidy()
      return "tidy"
    case 10:
      let json = try someone.post("edited")
      return "edit \(try await site.call(someone, "PUT", "/room/lobby/message/\(number)", json: json).status)"
    case 11: return "delete \(try await site.call(admin, "DELETE", "/room/lobby/message/\(number)").status)"
    case 12, 13:
      let method = Bool.random(using: &generator) ? "PUT" : "DELETE"
      let answer = try await site.call(someone, method, "/room/lobby/reaction/\(number)/👍")
      return "\(method) reaction \(answer.status)"
    case 14:
      let whisper = try admin.post(
        "psst", [.init("whisper_to", .string(someone.id)), .init("whisper_mods", bool)])
      (path, by, json) = ("/room/lobby/message", admin, whisper)
    default: (path, by, json) = ("/room/lobby/pin/\(number)", admin, [:])
    }
    return "\(path) \(try await site.call(by, "POST", path, json: json).status)"
  }

  @Test(arguments: 0..<4 as Range<UInt64>) func memorySaysWhatTheRowsSay(seed: UInt64) async throws {
    try await withCommunity { (site) async throws in
      var generator = SeededGenerator(seed: seed)
      let admin = try await site.admin()
      let members = [try site.member(), try site.member(.blinded25)]
      let memory = site.server.store.memory
      var history: [String] = []
      for _ in 0..<40 {
        history.append(try await act(site, admin, members, &generator))
        let state = try await site.call(admin, "GET", "/room/lobby").json
        let number = state["message_sequence"]?.integer ?? 0
        let info = state["info_updates"]?.integer ?? 0
        // What has changed lately, and what many readers get alike.
        let pages = [
          "/room/lobby", "/room/lobby/pollInfo/\(info + 1)", "/room/lobby/messages/recent?limit=4", "/lobby",
          "/room/lobby/messages/since/\(max(number - 1, 0))?t=r", "/room/lobby/messages/since/0?limit=3",
          "/room/lobby/messages/since/\(max(number - 6, 0))?t=r&reactors=2", "/r/lobby/recent.html",
        ]
        for member in [admin] + members + [nil] {
          // Twice, so that the second answer may come from memory; then without it.
          _ = try await poll(site, member, since: number, info: info, pages)
          let remembered = try await poll(site, member, since: number, info: info, pages)
          memory.forgetAll()
          let known = try await poll(site, member, since: number, info: info, pages)
          try #require([200, 403].contains(known.status), "seed \(seed): \(history)\n\(known.text)")
          try #require(
            remembered.body == known.body, "seed \(seed): \(history)\n\(remembered.text)\n\(known.text)")
          _ = try await poll(site, member, since: number, info: info, pages)
        }
      }
      if !site.server.store.isShared { #expect(memory.answerCount > 0) }
    }
  }
}

/// What a memory learns while rows change.
@Suite struct CommunityMemoryOrderTests {
  /// News that a test tells.
  private final class News: CommunityNews {
    private let state = Mutex<(isComplete: Bool, changes: ChangeSet?)>((true, nil))

    var isComplete: Bool {
      get { state.withLock { $0.isComplete } }
      set { state.withLock { $0.isComplete = newValue } }
    }

    func tell(_ text: String) { state.withLock { $0.changes = ChangeSet(announcements: [text]) } }

    func fetch() -> ChangeSet? { state.withLock { $0.changes.take() } }
  }

  private let read = RestingRead.changes(room: "lobby", since: 0, PageForm(limit: 100, reactors: 4))

  /// Has a memory learn from a server's rows, with something that happens between the moment and the learning.
  private func learn(_ between: (News) -> Void, before: (News) -> Void = { _ in }) async throws -> Bool {
    let news = News()
    let memory = CommunityMemory(news, of: 1024 * 1024)
    nonisolated(unsafe) var answers: [CommunityAnswer]?
    try await withCommunity { (site) async throws in
      before(news)
      let moment = memory.moment
      between(news)
      let (rules, read) = (site.server.rules, read)
      try await site.server.store.read { transaction in
        let answered = Answered(read, CommunityAnswer(200, .json("[]")))
        try memory.learn([answered], of: nil, since: moment, rules, from: transaction, now: 0)
      }
      answers = memory.answers(to: [read], of: nil, rules, now: 0)
    }
    return answers != nil
  }

  @Test func rowsThatWereReadAreRemembered() async throws {
    #expect(try await learn { _ in })
    #expect(try await learn({ $0.tell("room 2") }))
    // Before the reading began.
    #expect(try await learn({ _ in }, before: { $0.tell("room 1") }))
  }

  @Test(arguments: ["room 1", "room", "who knows what else"])
  func rowsThatChangeWhileTheyAreReadAreNotRemembered(change: String) async throws {
    #expect(try await !learn { $0.tell(change) })
  }

  @Test func nothingIsAnsweredWhileChangesAreNotHeardOf() async throws {
    #expect(try await !learn { $0.isComplete = false })
  }
}
