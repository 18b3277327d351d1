import SessionBase
import SessionCore
import SessionHTTP
import SessionService
import SessionStorage
import Synchronization
import Testing

@testable import SessionServers

/// How much a server takes, and what goes by itself.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityLimitTests {
  @Test func aPersonAsksSoOften() async throws {
    try await withCommunity { options in
      options.requests.perPerson = 1
      options.requests.burst = 3
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      for status in [200, 200, 200, 429] {
        #expect(try await site.call(member, "GET", "/rooms").status == status)
      }
      // All ids of a person count together; a batch is one request.
      let refused = try await site.call(try member.with(.blinded25), "GET", "/rooms")
      #expect(refused.status == 429)
      #expect(refused.headers["Retry-After"] != nil)
      let batch =
        "[" + Array(repeating: #"{"method":"GET","path":"/rooms"}"#, count: 10).joined(separator: ",") + "]"
      #expect(try await site.call(other, "POST", "/batch", bytes(batch)).status == 200)
      site.clock.advance(.seconds(1))
      #expect(try await site.call(member, "GET", "/rooms").status == 200)
    }
  }

  @Test func aClockThatIsSetBackDoesNotStopPeople() async throws {
    try await withCommunity { options in
      options.requests.perPerson = 1
      options.requests.burst = 3
      options.postLimit = .init(1, within: 16_000)
    } body: { (site) async throws in
      let member = try site.member()
      try await site.post("before", as: member)
      site.clock.goBack(.seconds(3600))
      try await site.post("after", as: member)
      for status in [200, 429] { #expect(try await site.call(member, "GET", "/rooms").status == status) }
      site.clock.advance(.seconds(1))
      #expect(try await site.call(member, "GET", "/rooms").status == 200)
    }
  }

  /// Requests that were received at the same time are counted in any order.
  @Test func requestsUnderWayDoNotLiftTheLimits() async throws {
    try await withCommunity { options in
      options.requests.perPerson = 1
      options.requests.burst = 3
    } body: { (site) async throws in
      let paces = CommunityPaces(site.server.rules.options)
      let now = Int64(site.clock.now)
      var admitted = 0
      for number in 0..<100 {
        let time = number.isMultiple(of: 2) ? now : now - 5000
        do { try paces.check(person: [1], now: time) } catch { continue }
        admitted += 1
      }
      #expect(admitted == 3)
    }
  }

  @Test func strangersAskSoOften() async throws {
    try await withCommunity { options in
      options.requests.perAddress = 1
      options.requests.anonymous = 1
    } body: { (site) async throws in
      for way in Way.allCases {
        for _ in 0..<5 { #expect(try await site.call(nil, "GET", "/rooms", over: way).status == 200) }
        #expect(try await site.call(nil, "GET", "/rooms", over: way).status == 429)
        #expect(try await site.call(try site.member(), "GET", "/rooms", over: way).status == 200)
      }
    }
  }

  @Test func clientsBehindATrustedProxyAreCountedEach() async throws {
    try await withCommunity { options in
      options.requests.perAddress = 0.2
      options.trustedProxies = [options.addresses[0]]
    } body: { (site) async throws in
      func status(_ address: String) async throws -> Int {
        try await site.send("GET", "/rooms", headers: [("X-Forwarded-For", address)]).status
      }
      for address in ["192.0.2.1", "192.0.2.9, 192.0.2.2", "2001:db8::1"] {
        #expect(try await status(address) == 200)
        #expect(try await status(address) == 429)
      }
    }
    try await withCommunity {
      $0.requests.perAddress = 0.2
    } body: { (site) async throws in
      for (address, status) in [("192.0.2.1", 200), ("192.0.2.2", 429)] {
        #expect(
          try await site.send("GET", "/rooms", headers: [("X-Forwarded-For", address)]).status == status)
      }
    }
  }

  /// Nodes of the network may reach the server through a proxy, and one that forges signatures must not lock out the rest.
  @Test func nodesBehindATrustedProxyAreCountedEach() async throws {
    try await withCommunity { options in
      options.requests.anonymous = 1
      options.trustedProxies = [options.addresses[0]]
    } body: { (site) async throws in
      let member = try site.member()
      var headers = try member.headers("GET", "/rooms", [], at: site.clock.now)
      headers[3].1 = [UInt8](repeating: 1, count: 64).base64
      func status(from node: String, _ headers: [(String, String)]) async throws -> Int {
        try await site.send(
          "GET", "/rooms", headers: headers, over: .onion, passedOn: [("X-Forwarded-For", node)]
        ).status
      }
      for _ in 0..<5 { #expect(try await status(from: "192.0.2.1", headers) == 401) }
      #expect(try await status(from: "192.0.2.1", headers) == 429)
      let honest = try member.headers("GET", "/rooms", [], at: site.clock.now)
      #expect(try await status(from: "192.0.2.2", honest) == 200)
    }
  }

  @Test func newPeopleComeSoOften() async throws {
    try await withCommunity {
      $0.requests.newcomersPerMinute = 2
    } body: { (site) async throws in
      let members = [try site.member(), try site.member()]
      for member in members { #expect(try await site.call(member, "GET", "/rooms").status == 200) }
      #expect(try await site.call(try site.member(), "GET", "/rooms").status == 429)
      for member in members { #expect(try await site.call(member, "GET", "/rooms").status == 200) }
      site.clock.advance(.seconds(60))
      #expect(try await site.call(try site.member(), "GET", "/rooms").status == 200)
    }
  }

  @Test func changesAreFewAMinute() async throws {
    try await withCommunity {
      $0.requests.changesPerMinute = 3
    } body: { (site) async throws in
      let member = try site.member()
      try await site.post("hello", as: member)
      for (emoji, status) in [("a", 200), ("b", 200), ("c", 200), ("d", 429)] {
        let answer = try await site.call(member, "PUT", "/room/lobby/reaction/1/\(emoji)", json: [:])
        #expect(answer.status == status)
      }
      #expect(try await site.call(member, "DELETE", "/room/lobby/message/1").status == 429)
      #expect(try await site.call(member, "GET", "/rooms").status == 200)
    }
  }

  @Test func postsAreSomeADay() async throws {
    try await withCommunity {
      $0.postsPerDay = 3
    } body: { (site) async throws in
      let member = try site.member()
      for _ in 0..<3 { try await site.post("x", as: member) }
      site.clock.advance(.seconds(60))
      let answer = try await site.call(member, "POST", "/room/lobby/message", json: try member.post("x"))
      #expect(answer.status == 429)
      site.clock.advance(.seconds(86_400))
      try await site.post("x", as: member)
    }
  }

  @Test func postsOfAnAdminOfARoomDoNotCountElsewhere() async throws {
    try await withCommunity {
      $0.postsPerDay = 2
    } body: { (site) async throws in
      try await site.addRoom("other")
      let (admin, member) = (try await site.admin(), try site.member())
      let role: JSONValue = ["rooms": ["lobby"], "admin": true]
      #expect(try await site.call(admin, "POST", "/user/\(member.id)/moderator", json: role).status == 200)
      for _ in 0..<3 { try await site.post("x", as: member) }
      for _ in 0..<2 { try await site.post("x", as: member, in: "other") }
      let answer = try await site.call(member, "POST", "/room/other/message", json: try member.post("x"))
      #expect(answer.status == 429)
      try await site.post("x", as: member)
    }
  }

  @Test func deletedMessagesLeaveNoTraceInTheEnd() async throws {
    try await withCommunity { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      for text in ["own", "other"] { try await site.post(text, as: member) }
      _ = try await site.call(member, "DELETE", "/room/lobby/message/1")
      _ = try await site.call(admin, "DELETE", "/room/lobby/message/2")
      func history() async throws -> [Int64] {
        try await site.server.store.read { try $0.values("SELECT message FROM history") }
      }
      func count() async throws -> Int? {
        try await site.server.store.read { try $0.value("SELECT count(*) FROM message") }
      }
      // What authors delete is gone; what moderators delete the operator can see for a while.
      #expect(try await history() == [2])
      site.clock.advance(.seconds(29 * 86_400))
      try await site.tidy()
      #expect(try await history() == [2])
      #expect(try await count() == 2)
      site.clock.advance(.seconds(2 * 86_400))
      try await site.tidy()
      #expect(try await history() == [])
      #expect(try await count() == 0)
    }
  }

  @Test func roomsForgetOldMessages() async throws {
    try await withCommunity { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      for number in 1...2 { try await site.post("\(number)", as: member) }
      _ = try await site.call(admin, "POST", "/room/lobby/pin/1", json: [:])
      try await site.server.store.write { try $0.run("UPDATE room SET retention = 3") }
      site.clock.advance(.seconds(2 * 86_400))
      try await site.post("3", as: member)
      site.clock.advance(.seconds(86_400 + 60))
      try await site.tidy()
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["3", "1"])
    }
  }

  @Test func noncesGoAfterTheirTime() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("x", as: member)
      func count() async throws -> Int? {
        try await site.server.store.read { try $0.value("SELECT count(*) FROM nonce") }
      }
      site.clock.advance(.seconds(86_300))
      try await site.tidy()
      #expect(try await count() == 1)
      site.clock.advance(.seconds(200))
      try await site.tidy()
      #expect(try await count() == 0)
    }
  }

  @Test(arguments: Way.allCases)
  func wrongSignaturesAreCheckedSoOften(way: Way) async throws {
    try await withCommunity { options in
      options.requests.perAddress = 1
      options.requests.anonymous = 1
    } body: { (site) async throws in
      let member = try site.member()
      func forged() async throws -> Int {
        var headers = try member.headers("GET", "/rooms", at: site.clock.now)
        headers[3].1 = [UInt8](repeating: 1, count: 64).base64
        return try await site.send("GET", "/rooms", headers: headers, over: way).status
      }
      for _ in 0..<5 { #expect(try await forged() == 401) }
      #expect(try await forged() == 429)
      site.clock.advance(.seconds(1))
      #expect(try await site.call(member, "GET", "/rooms", over: way).status == 200)
      #expect(try await forged() == 401)
      #expect(try await forged() == 429)
    }
  }

  @Test func editsCountAsPosts() async throws {
    try await withCommunity {
      $0.postLimit = .init(3, within: 16_000)
      $0.postsPerDay = 5
    } body: { (site) async throws in
      let member = try site.member()
      let post = try await site.call(member, "POST", "/room/lobby/message", json: try member.post("one"))
      let number = try #require(post.json["id"]?.integer)
      func edit(_ text: String) async throws -> Int {
        try await site.call(member, "PUT", "/room/lobby/message/\(number)", json: try member.post(text))
          .status
      }
      #expect(try await edit("two") == 200)
      #expect(try await edit("three") == 200)
      #expect(try await edit("four") == 429)
      let refused = try await site.call(member, "POST", "/room/lobby/message", json: try member.post("two"))
      #expect(refused.status == 429)
      #expect(refused.headers["Retry-After"] == "16")
      site.clock.advance(.seconds(16))
      #expect(try await edit("five") == 200)
      #expect(try await edit("six") == 200)
      // The day is over, too.
      site.clock.advance(.seconds(16))
      #expect(try await edit("seven") == 429)
      site.clock.advance(.seconds(86_400))
      #expect(try await edit("eight") == 200)
    }
  }

  @Test func thePostsOfADayAreKnownAfterARestart() async throws {
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    var account: Account?
    try await withCommunity(in: folder, clock: clock) {
      $0.postsPerDay = 3
    } body: { (site) async throws in
      let member = try site.member()
      account = member.account
      for _ in 0..<3 { try await site.post("one", as: member) }
    }
    try await withCommunity(in: folder, clock: clock) {
      $0.postsPerDay = 3
    } body: { (site) async throws in
      let member = try Member(try #require(account), on: site.server.key, .blinded15)
      func status() async throws -> Int {
        clock.advance(.seconds(4))
        return try await site.call(
          member, "POST", "/room/lobby/message", json: try member.post("two")
        ).status
      }
      #expect(try await status() == 429)
      clock.advance(.seconds(86_400))
      #expect(try await status() == 201)
    }
  }

  @Test func aPersonWithTwoIdsCostsNoWrites() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let other = try member.with(.blinded25)
      try await site.tidy()
      for _ in 0..<3 {
        #expect(try await site.call(member, "GET", "/rooms").status == 200)
        #expect(try await site.call(other, "GET", "/rooms").status == 200)
      }
      let before = site.server.store.commitCount
      for _ in 0..<10 {
        #expect(try await site.call(member, "GET", "/rooms").status == 200)
        #expect(try await site.call(other, "GET", "/rooms").status == 200)
      }
      #expect(site.server.store.commitCount == before)
      // The last one is written with the visits.
      try await site.tidy()
      let shown: String? = try await site.server.store.read { try $0.value("SELECT shown FROM person") }
      #expect(shown == other.id)
    }
  }

  @Test func answersWaitUntilThereIsMemoryForThem() async throws {
    try await withCommunity { (site) async throws in
      let memory = site.server.rules.answers
      let (held, release) = (Latch(), Latch())
      let holder = Task {
        try await memory.making(memory.bytes) { () throws(CommunityRefusal) in
          held.open()
          await release.wait()
        }
      }
      await held.wait()
      let isAnswered = Mutex(false)
      let batch = Task {
        let answer = try await site.call(nil, "POST", "/batch", bytes(#"[{"method":"GET","path":"/rooms"}]"#))
        isAnswered.withLock { $0 = true }
        return answer.status
      }
      // Small requests have memory of their own.
      for _ in 0..<20 {
        #expect(
          try await site.call(try site.member(), "DELETE", "/room/lobby/message/1").status == 404)
      }
      #expect(!isAnswered.withLock { $0 })
      release.open()
      #expect(try await batch.value == 200)
      try await holder.value
    }
  }

  @Test func textsOfPeopleWhoMayNotWriteAreNotLookedAt() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      _ = try await site.server.carryOut(
        .changeRoom(with(RoomSettings(token: "lobby")) { $0.permissions = PermissionSettings(["-w"]) }))
      // Neither is the signature of the text, which is wrong.
      var post = try member.post("hello")
      if case .object(var members) = post {
        members.removeAll { $0.name == "signature" }
        post = .object(members + [.init("signature", .string([UInt8](repeating: 1, count: 64).base64))])
      }
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: post).status == 403)
    }
  }

  private func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
  }

  @Test func aRefusedPostIsRefusedAgainWithoutTheDatabase() async throws {
    try await withCommunity {
      $0.postLimit = .init(1, within: 16_000)
    } body: { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      _ = try await site.call(other, "GET", "/rooms")
      func post(_ author: Member) async throws -> CommunitySite.Answer {
        try await site.call(author, "POST", "/room/lobby/message", json: try author.post("x"))
      }
      for status in [201, 429] { #expect(try await post(member).status == status) }
      site.clock.advance(.seconds(6))
      try site.server.store.close()
      let refused = try await post(member)
      #expect(refused.status == 429)
      #expect(refused.headers["Retry-After"] == "10")
      #expect(try await post(other).status >= 500)
      site.clock.advance(.seconds(10))
      #expect(try await post(member).status >= 500)
    }
  }

  @Test func peopleWhoMayPostAgainAreNotRefusedForLong() async throws {
    try await withCommunity {
      $0.postsPerDay = 1
    } body: { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      try await site.post("x", as: member)
      site.clock.advance(.seconds(4))
      func status() async throws -> Int {
        try await site.call(member, "POST", "/room/lobby/message", json: try member.post("x")).status
      }
      #expect(try await status() == 429)
      let role: JSONValue = ["rooms": ["lobby"], "admin": true]
      #expect(try await site.call(admin, "POST", "/user/\(member.id)/moderator", json: role).status == 200)
      site.clock.advance(.seconds(60))
      #expect(try await status() == 201)
    }
  }

  @Test func aServerThatCannotReadItsRowsIsNotHealthy() async throws {
    try await withCommunity { (site) async throws in
      let (server, client) = (site.server, site.client)
      let metrics = try MetricsServer(at: try loopback()) {
        "text"
      } isHealthy: {
        await server.isHealthy()
      }
      func status(_ path: String) async throws -> Int {
        try await client.send(HTTPClient.Request(.get, "http://\(metrics.address)/\(path)")).status
      }
      #expect(try await status("health") == 200)
      #expect(try await status("metrics") == 200)
      try server.store.close()
      #expect(try await status("health") == 503)
      #expect(try await status("other") == 404)
      await metrics.stop()
    }
  }
}
