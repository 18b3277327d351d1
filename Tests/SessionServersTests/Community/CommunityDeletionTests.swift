import SessionBase
import SessionCore
import SessionStorage
import Testing

@testable import SessionServers

/// Deletions of all messages of a person.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityDeletionTests {
  /// Adds messages of somebody who has come.
  private func add(_ count: Int, of member: Member, to token: String, _ site: CommunitySite) async throws {
    let key = try CommunityPerson(of: member.account.id, on: site.server.key).key
    try await site.server.store.write { transaction in
      guard let room = try transaction.room(token), let person = try transaction.person(key: key) else {
        throw StorageError(.missing, "a room or a person")
      }
      try transaction.run(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
        INSERT INTO message (room, author, signer, posted, createdSeq, dataSeq, data, size, signature)
        SELECT ?1, ?2, 'x', i, i, i, ?4, 1, ?5 FROM n
        """, room.id, person.id, count, bytes("a"), [UInt8](repeating: 0, count: 64))
    }
  }

  private func count(_ site: CommunitySite, _ sql: SQL) async throws -> Int? {
    try await site.server.store.read { try $0.value(sql) }
  }

  @Test func reactionsGoWithoutMessages() async throws {
    try await withCommunity { (site) async throws in
      let (admin, member, other) = (try await site.admin(), try site.member(), try site.member())
      try await site.post("hello", as: other)
      for caller in [admin, member] {
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/x", json: [:])
        #expect(try await site.call(caller, "DELETE", "/room/lobby/all/\(member.id)").status == 200)
        #expect(try await site.call(nil, "GET", "/room/lobby/message/1").json["reactions"] == [:])
        #expect(try await site.call(caller, "DELETE", "/room/lobby/all/\(member.id)").status == 404)
      }
      _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/x", json: [:])
      let answer = try await site.call(member, "DELETE", "/rooms/all/\(member.id)")
      #expect(answer.json == ["total": 0, "rooms": [:]])
      #expect(try await site.call(nil, "GET", "/room/lobby/message/1").json["reactions"] == [:])
    }
  }

  @Test func deletionsGoOnInAllRooms() async throws {
    try await withCommunity { (site) async throws in
      try await site.addRoom("other")
      let (member, other) = (try site.member(), try site.member())
      try await site.post("hello", as: other)
      _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/x", json: [:])
      try await add(WriteTransaction.deletionCount, of: member, to: "lobby", site)
      try await add(5, of: member, to: "other", site)
      let answer = try await site.call(member, "DELETE", "/rooms/all/\(member.id)")
      #expect(answer.json == ["total": 10_005, "rooms": ["lobby": 10_000, "other": 5]])
      #expect(try await count(site, "SELECT count(*) FROM message WHERE data IS NOT NULL") == 1)
      #expect(try await count(site, "SELECT count(*) FROM reaction") == 0)
    }
  }

  @Test func aDeletionStopsAtItsLimit() async throws {
    try await withCommunity { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      try await site.post("hello", as: other)
      _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/x", json: [:])
      try await add(4, of: member, to: "lobby", site)
      let key = try CommunityPerson(of: member.account.id, on: site.server.key).key
      var deletions: [AuthorDeletion] = []
      for limit in [0, 3, 1, 1, 3] {
        deletions.append(
          try await site.server.store.write { transaction in
            guard let room = try transaction.room("lobby"), let person = try transaction.person(key: key)
            else { throw StorageError(.missing, "a room or a person") }
            return try transaction.deleteAll(
              of: person.id, in: room, by: 0, historyKept: false, limit: limit, now: 1)
          })
      }
      #expect(
        deletions == [
          AuthorDeletion(goesOn: true), AuthorDeletion(messages: 3, goesOn: true),
          AuthorDeletion(messages: 1, goesOn: true), AuthorDeletion(others: 1, goesOn: true),
          AuthorDeletion(),
        ])
    }
  }

  @Test func operatorsDeleteAllOfThoseWhomTheyBan() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("text", as: member)
      _ = try await site.server.carryOut(.ban([member.id], .server, span: nil, deletes: true))
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == [])
      let report = try await site.server.carryOut(.showHistory(room: "lobby", message: 1))
      guard case .history(let texts) = report else { throw StorageError(.missing, "a history") }
      let padded = bytes("text") + [0x80] + [UInt8](repeating: 0, count: 7)
      #expect(texts.map(\.data) == [padded])
    }
  }
}
