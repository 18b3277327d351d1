import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Reactions to messages.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityReactionTests {
  @Test(arguments: Way.allCases) func reactionsAreCountedInTheirOrder(way: Way) async throws {
    try await withCommunity { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      try await site.post("hello", as: member)
      let path = "/room/lobby/reaction/1/"
      let first = try await site.call(member, "PUT", path + "👍", json: [:], over: way)
      #expect(first.status == 200)
      #expect(first.json == ["added": true, "seqno": 2])
      #expect(try await site.call(other, "PUT", path + "👍", json: [:], over: way).json["seqno"] == 3)
      #expect(try await site.call(other, "PUT", path + "🎉", json: [:], over: way).json["seqno"] == 4)
      // Again is no change.
      #expect(
        try await site.call(other, "PUT", path + "🎉", json: [:], over: way).json
          == ["added": false, "seqno": 4])
      let message = try await site.call(other, "GET", "/room/lobby/message/1").json
      #expect(message["seqno"] == 4)
      #expect(
        message["reactions"] == [
          "👍": ["index": 0, "count": 2, "reactors": [.string(member.id), .string(other.id)], "you": true],
          "🎉": ["index": 1, "count": 1, "reactors": [.string(other.id)], "you": true],
        ])
      let none = try await site.call(nil, "GET", "/room/lobby/message/1?reactors=0").json
      #expect(none["reactions"]?["👍"] == ["index": 0, "count": 2, "reactors": []])
      let removed = try await site.call(member, "DELETE", path + "👍", over: way).json
      #expect(removed == ["removed": true, "seqno": 5])
      #expect(
        try await site.call(member, "DELETE", path + "👍", over: way).json == ["removed": false, "seqno": 5])
    }
  }

  @Test func reactorsAreListedByTime() async throws {
    try await withCommunity { (site) async throws in
      let members = [try site.member(), try site.member()]
      try await site.post("hello", as: members[0])
      for member in members {
        site.clock.advance(.seconds(1))
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/x", json: [:])
      }
      let list = try await site.call(nil, "GET", "/room/lobby/reactors/1/x").json.elements
      #expect(list.map { $0.elements.first?.string } == members.map(\.id))
      #expect(list.last?.elements.last?.double == Double(site.clock.now) / 1000)
      #expect(try await site.call(nil, "GET", "/room/lobby/reactors/1/x?limit=1").json.elements.count == 1)
    }
  }

  @Test(arguments: [
    "1234567890123", "%2F", "a%0Ab", "%00", "%ED%A0%80", "%7F",
  ])
  func emojisThatAreNoneAreRefused(emoji: String) async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("hello", as: member)
      let path = "/room/lobby/reaction/1/\(emoji)"
      guard let target = HTTPTarget(parsing: path) else {
        #expect(try await RawRequest.status(of: "PUT", path, at: try #require(site.server.address)) == 400)
        return
      }
      let headers = try member.headers("PUT", target.signedPath, bytes("{}"), at: site.clock.now)
      #expect(try await site.send("PUT", path, headers: headers, bytes("{}")).status == 400)
    }
  }

  @Test func fewEmojisAMessageAndAPerson() async throws {
    try await withCommunity { (site) async throws in
      let members = [try site.member(), try site.member(), try site.member()]
      try await site.post("hello", as: members[0])
      for number in 0..<20 {
        let answer = try await site.call(members[0], "PUT", "/room/lobby/reaction/1/a\(number)", json: [:])
        #expect(answer.status == 200)
      }
      #expect(try await site.call(members[0], "PUT", "/room/lobby/reaction/1/a20", json: [:]).status == 429)
      for number in 0..<20 {
        _ = try await site.call(members[1], "PUT", "/room/lobby/reaction/1/b\(number)", json: [:])
      }
      for number in 0..<10 {
        let answer = try await site.call(members[2], "PUT", "/room/lobby/reaction/1/c\(number)", json: [:])
        #expect(answer.status == 200)
      }
      #expect(try await site.call(members[2], "PUT", "/room/lobby/reaction/1/c10", json: [:]).status == 429)
      #expect(try await site.call(members[2], "PUT", "/room/lobby/reaction/1/a1", json: [:]).status == 200)
    }
  }

  /// An imported server may know of a person only that there was one.
  @Test func peopleWithoutAnIDDoNotHoldUpOthers() async throws {
    try await withCommunity { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      try await site.post("hello", as: member)
      try await site.server.store.write { transaction in
        let person = try transaction.insert(
          "INSERT INTO person (key, created, active) VALUES (?1, 0, 0)", [UInt8](repeating: 0, count: 32))
        try transaction.run(
          "INSERT INTO reaction (message, emoji, place, person, at) VALUES (1, 'x', 1, ?1, 0)", person)
        try transaction.run("UPDATE message SET reactedSeq = 1 WHERE id = 1")
        try transaction.run(
          "INSERT INTO visit (room, person, first, last) VALUES (1, ?1, 0, ?2)", person, Int64.max)
        try transaction.run("INSERT INTO override (room, person, banned) VALUES (1, ?1, 1)", person)
      }
      let shown = try await site.call(member, "GET", "/room/lobby/message/1")
      #expect(shown.status == 200)
      #expect(shown.json["reactions"]?["x"]?["count"]?.integer == 1)
      #expect(shown.json["reactions"]?["x"]?["reactors"] == [])
      #expect(try await site.server.store.read { try $0.bans(in: 1) }.isEmpty)
      let members = try await site.server.store.read { try $0.members(of: 1, since: 0, limit: 10) }
      #expect(!members.contains { $0.id.isEmpty })
      #expect(try await site.call(admin, "GET", "/room/lobby/messages/recent").status == 200)
    }
  }

  @Test func onlySignedReadersReactToTexts() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("hello", as: member)
      #expect(try await site.call(nil, "PUT", "/room/lobby/reaction/1/x", json: [:]).status == 401)
      #expect(try await site.call(member, "PUT", "/room/lobby/reaction/2/x", json: [:]).status == 404)
      _ = try await site.call(member, "DELETE", "/room/lobby/message/1")
      #expect(try await site.call(member, "PUT", "/room/lobby/reaction/1/x", json: [:]).status == 404)
    }
  }

  @Test func moderatorsRemoveReactions() async throws {
    try await withCommunity { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      try await site.post("hello", as: member)
      for emoji in ["a", "b"] {
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/\(emoji)", json: [:])
      }
      #expect(try await site.call(member, "DELETE", "/room/lobby/reactions/1").status == 403)
      #expect(
        try await site.call(admin, "DELETE", "/room/lobby/reactions/1/a").json == ["removed": 1, "seqno": 4])
      #expect(
        try await site.call(admin, "DELETE", "/room/lobby/reactions/1").json == ["removed": 1, "seqno": 5])
      #expect(
        try await site.call(admin, "DELETE", "/room/lobby/reactions/1").json == ["removed": 0, "seqno": 5])
      #expect(try await site.call(nil, "GET", "/room/lobby/message/1").json["reactions"] == [:])
    }
  }

  @Test func aDeletionIsOneChangeWithItsReactions() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("hello", as: member)
      for emoji in ["a", "b"] {
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/\(emoji)", json: [:])
      }
      _ = try await site.call(member, "DELETE", "/room/lobby/message/1")
      #expect(try await site.call(nil, "GET", "/room/lobby").json["message_sequence"] == 4)
      let told = try await site.call(nil, "GET", "/room/lobby/messages/since/1?t=r").json.elements
      #expect(told.map { $0["deleted"] } == [true])
    }
  }
}
