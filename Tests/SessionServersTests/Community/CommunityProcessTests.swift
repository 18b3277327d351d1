import FoundationEssentials
import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import TestPostgreSQL
import Testing

@testable import SessionServers

/// Several servers with the same key on one database of PostgreSQL.
@Suite(.onPostgreSQL, .timeLimit(.minutes(10))) struct CommunityProcessTests {
  /// Two servers, and the name of their database.
  private func withTwo(
    on instance: PostgreSQLInstance? = nil,
    _ body: (CommunitySite, CommunitySite, PostgreSQLInstance, String) async throws -> Void
  ) async throws {
    let instance = try instance ?? PostgreSQLInstance.shared.get()
    let name = try instance.takeDatabase()
    let address = try instance.address(of: name)
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    try await withCommunity(clock: clock) {
      $0.database = address
    } body: { (one) async throws in
      try FileManager.default.copyItem(
        atPath: one.folder.path + "/key_x25519", toPath: folder.path + "/key_x25519")
      try await withCommunity(in: folder, clock: clock) {
        $0.database = address
        $0.files = one.folder.path + "/files"
      } body: { (other) async throws in
        try await body(one, other, instance, name)
      }
    }
    try instance.giveBack(name)
  }

  private let ban: JSONValue = ["global": true]

  @Test func aBanInOneHoldsInTheOther() async throws {
    try await withTwo { one, other, _, _ in
      let (admin, member) = (try await one.admin(), try one.member())
      try await other.post("hello", as: member)
      #expect(try await one.texts(nil, "/room/lobby/messages/recent") == ["hello"])
      #expect(try await one.call(admin, "POST", "/user/\(member.id)/ban", json: ban).status == 200)
      let answer = try await other.call(member, "POST", "/room/lobby/message", json: try member.post("again"))
      #expect(answer.status == 403)
      #expect(try await one.call(admin, "POST", "/user/\(member.id)/unban", json: ban).status == 200)
      try await other.post("again", as: member)
    }
  }

  @Test func aBanHoldsInAServerThatHasLostItsConnections() async throws {
    try await withTwo { one, other, instance, name in
      let (admin, member) = (try await one.admin(), try one.member())
      try await other.post("hello", as: member)
      #expect(
        try await one.call(admin, "POST", "/user/\(member.id)/ban", json: ["rooms": ["lobby"]]).status == 200)
      try instance.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = '\(name)' AND pid <> pg_backend_pid()
        """, in: name)
      let answer = try await other.call(member, "POST", "/room/lobby/message", json: try member.post("again"))
      #expect(answer.status == 403)
    }
  }

  /// Polls a server until it answers from memory.
  private func rest(_ site: CommunitySite, _ member: Member, at path: String) async throws {
    let memory = site.server.store.memory
    let count = memory.answerCount
    while memory.answerCount == count { #expect(try await site.call(member, "GET", path).json == []) }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func pollsOfOneServerShowWhatHappensInTheOther(losesConnections: Bool) async throws {
    try await withTwo { one, other, instance, name in
      let (author, reader) = (try one.member(), try one.member())
      let number = try #require(try await one.post("first", as: author)["seqno"]?.integer)
      let path = "/room/lobby/messages/since/\(number)"
      try await rest(other, reader, at: path)
      if losesConnections {
        try instance.run(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = '\(name)' AND pid <> pg_backend_pid()
          """, in: name)
      }
      try await one.post("second", as: author)
      // It hears of it a moment later.
      while try await other.texts(reader, path) != ["second"] { try Task.checkCancellation() }
      try await rest(other, reader, at: "/room/lobby/messages/since/\(number + 1)")
    }
  }

  @Test func serversWithAnotherKeyAreRefused() async throws {
    try await withTwo { _, _, instance, name in
      let folder = try TemporaryFolder()
      _ = try CommunityServer.prepare(folder: folder.path)
      var options = CommunityServer.Options(folder: folder.path, addresses: [try loopback()])
      options.database = try instance.address(of: name)
      let error = #expect(throws: StorageError.self) { try CommunityServer(options) }
      #expect(error?.code == .foreign)
    }
  }

  @Test func oneOfTwoAdminsWhoDemoteEachOtherStays() async throws {
    try await withTwo { one, other, _, _ in
      let (first, second) = (try await one.admin(), try await other.admin())
      let change: JSONValue = ["global": true, "admin": false, "moderator": false]
      async let a = one.call(first, "POST", "/user/\(second.id)/moderator", json: change)
      async let b = other.call(second, "POST", "/user/\(first.id)/moderator", json: change)
      let statuses = [try await a.status, try await b.status]
      // The second is an admin no more, or the last one.
      #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
      #expect(try await one.server.store.read { try $0.globalAdminCount() } == 1)
    }
  }

  @Test(.timeLimit(.minutes(5))) func numbersOfAllServersBecomeVisibleInOrder() async throws {
    let (count, hasFailed) = (20, Latch())
    try await withTwo { one, other, _, _ in
      let seen = try await withThrowingTaskGroup(of: Void.self) { group in
        for site in [one, other] {
          for _ in 0..<count {
            let member = try site.member()
            let message = try member.post("hello")
            group.addTask {
              let answer = try? await site.call(member, "POST", "/room/lobby/message", json: message)
              if answer?.status != 201 { hasFailed.open() }
              try #require(answer?.status == 201, "\(answer?.text ?? "no answer")")
            }
          }
        }
        // Somebody who reads meanwhile, and asks for what is behind the last.
        var (seen, last): ([Int64], Int64) = ([], 0)
        while seen.count < 2 * count, !hasFailed.isOpen {
          let answer = try await one.call(nil, "GET", "/room/lobby/messages/since/\(last)")
          try #require(answer.status == 200, "\(answer.text)")
          let page = answer.json.elements
          seen += page.compactMap { $0["id"]?.integer }
          last = page.compactMap { $0["seqno"]?.integer }.max() ?? last
        }
        try await group.waitForAll()
        return seen
      }
      #expect(seen.count == 2 * count)
      #expect(seen == seen.sorted())
      #expect(Set(seen).count == seen.count)
    }
  }

  @Test func aChangeIsNotRepeatedByAnother() async throws {
    try await withTwo { one, other, _, _ in
      let (member, path) = (try one.member(), "/room/lobby/message")
      let body = bytes(try member.post("once").description)
      // The clock of the client is most of a day ahead.
      let headers = try member.headers("POST", path, body, at: one.clock.now + 23 * 3_600_000)
      #expect(try await one.send("POST", path, headers: headers, body).status == 201)
      #expect(try await other.send("POST", path, headers: headers, body).status == 425)
      one.clock.advance(.seconds(46 * 3600))
      for site in [one, other] {
        try await site.tidy()
        #expect(try await site.send("POST", path, headers: headers, body).status == 425)
      }
      #expect(try await other.texts(nil, "/room/lobby/messages/recent") == ["once"])
    }
  }

  @Test func reactionsInBothAreCountedOnce() async throws {
    try await withTwo { one, other, _, _ in
      let author = try one.member()
      try await one.post("hello", as: author)
      let people = try (0..<10).map { _ in try one.member() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for person in people {
          for site in [one, other] {
            group.addTask {
              let answer = try await site.call(person, "PUT", "/room/lobby/reaction/1/👍", json: [:])
              try #require(answer.status == 200, "\(answer.text)")
            }
          }
        }
        try await group.waitForAll()
      }
      let message = try await one.call(nil, "GET", "/room/lobby/message/1").json
      #expect(message["reactions"]?["👍"]?["count"] == 10)
      #expect(message["seqno"] == 11)
    }
  }

  @Test(.timeLimit(.minutes(5))) func lettersToOnePersonAreNeverSkipped() async throws {
    let (count, hasFailed) = (10, Latch())
    try await withTwo { one, other, _, _ in
      let recipient = try one.member()
      _ = try await one.call(recipient, "GET", "/rooms")
      let body = JSONValue.object([
        .init("message", .string(([0] + [UInt8](repeating: 7, count: 60)).base64))
      ])
      let seen = try await withThrowingTaskGroup(of: Void.self) { group in
        for site in [one, other] {
          for _ in 0..<count {
            let sender = try site.member()
            group.addTask {
              let answer = try? await site.call(sender, "POST", "/inbox/\(recipient.id)", json: body)
              if answer?.status != 201 { hasFailed.open() }
              try #require(answer?.status == 201, "\(answer?.text ?? "no answer")")
            }
          }
        }
        var seen: [Int64] = []
        while seen.count < 2 * count, !hasFailed.isOpen {
          let answer = try await other.call(recipient, "GET", "/inbox/since/\(seen.last ?? 0)")
          // 304: nothing yet.
          try #require([200, 304].contains(answer.status), "\(answer.text)")
          let page = answer.json.elements
          seen += page.compactMap { $0["id"]?.integer }
        }
        try await group.waitForAll()
        return seen
      }
      #expect(Set(seen).count == 2 * count)
    }
  }

  @Test func oneServerKeepsHouseUntilItEnds() async throws {
    try await withTwo { one, other, _, _ in
      #expect(await one.server.store.keepsHouse())
      #expect(await !other.server.store.keepsHouse())
      await one.server.stop(grace: .zero)
      #expect(await other.server.store.keepsHouse())
    }
  }

  @Test func filesOfOneServerAreGivenOutByTheOther() async throws {
    try await withTwo { one, other, _, _ in
      let member = try one.member()
      let number = try await one.call(member, "POST", "/room/lobby/file", [1, 2, 3]).json["id"]?.integer ?? 0
      #expect(try await other.call(member, "GET", "/room/lobby/file/\(number)").body == [1, 2, 3])
    }
  }

  @Test func postsThatWereAcknowledgedAreThereWhenTheDatabaseHasRestarted() async throws {
    let instance = try PostgreSQLInstance()
    try await withTwo(on: instance) { one, other, instance, _ in
      let acknowledged = try await withThrowingTaskGroup(of: Int64?.self) { group in
        for site in [one, other] {
          for _ in 0..<20 {
            let member = try site.member()
            group.addTask {
              let answer = try await site.call(
                member, "POST", "/room/lobby/message", json: try member.post("hello"))
              return answer.status == 201 ? answer.json["id"]?.integer : nil
            }
          }
        }
        var (numbers, hasRestarted): ([Int64], Bool) = ([], false)
        while let number = try await group.next() {
          if let number { numbers.append(number) }
          // Posts that are refused meanwhile leave the count as it is.
          guard numbers.count == 5, !hasRestarted else { continue }
          hasRestarted = true
          try instance.stop()
          try instance.start()
        }
        return numbers
      }
      let stored = try await other.call(nil, "GET", "/room/lobby/messages/recent?limit=100").json.elements
        .compactMap { $0["id"]?.integer }
      #expect(acknowledged.count >= 5)
      #expect(Set(acknowledged).count == acknowledged.count)
      #expect(Set(acknowledged).isSubset(of: stored))
      // None is there twice, and none that was refused.
      #expect(stored.count <= 40)
    }
  }

  @Test func postsOfADayCountInAllServers() async throws {
    let (clock, folder, instance) = (TestClock(), try TemporaryFolder(), try PostgreSQLInstance.shared.get())
    let name = try instance.takeDatabase()
    let address = try instance.address(of: name)
    try await withCommunity(clock: clock) {
      $0.database = address
      $0.postsPerDay = 3
    } body: { (one) async throws in
      try FileManager.default.copyItem(
        atPath: one.folder.path + "/key_x25519", toPath: folder.path + "/key_x25519")
      try await withCommunity(in: folder, clock: clock) {
        $0.database = address
        $0.files = one.folder.path + "/files"
        $0.postsPerDay = 3
      } body: { (other) async throws in
        let member = try one.member()
        for site in [one, other, one] { try await site.post("x", as: member) }
        clock.advance(.seconds(60))
        for site in [one, other] {
          let answer = try await site.call(member, "POST", "/room/lobby/message", json: try member.post("x"))
          #expect(answer.status == 429)
        }
        clock.advance(.seconds(86_400))
        try await other.post("x", as: member)
      }
    }
    try instance.giveBack(name)
  }

  @Test(.timeLimit(.minutes(5))) func aPostToOneServerEndsTheWaitingInAnother() async throws {
    try await withTwo { one, other, _, _ in
      let (reader, author) = (try one.member(), try one.member())
      let answer = Task { try await other.texts(reader, "/room/lobby/messages/since/0?wait=25") }
      while other.server.rules.waits.count == 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      try await one.post("hello", as: author)
      #expect(try await answer.value == ["hello"])
    }
  }
}
