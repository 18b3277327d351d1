import SessionBase
import SessionCore
import SessionStorage
import Testing

@testable import SessionServers

/// What a server does from time to time.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityUpkeepTests {
  private func count(_ site: CommunitySite, _ sql: SQL) async throws -> Int? {
    try await site.server.store.read { try $0.value(sql) }
  }

  @Test func aStepThatFailsDoesNotStopTheOthers() async throws {
    try await withCommunity { (site) async throws in
      try await site.post("x", as: try site.member())
      try await site.server.store.write { try $0.run("DROP TABLE future") }
      site.clock.advance(.seconds(86_500))
      try await site.tidy()
      #expect(try await count(site, "SELECT count(*) FROM nonce") == 0)
    }
  }

  @Test func formerTextsOfAuthorsAndOthersAreKeptForTimesOfTheirOwn() async throws {
    try await withCommunity { options in
      options.ownHistoryDays = 3
      options.historyDays = 40
    } body: { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      for text in ["own", "other"] { try await site.post(text, as: member) }
      _ = try await site.call(member, "DELETE", "/room/lobby/message/1")
      _ = try await site.call(admin, "DELETE", "/room/lobby/message/2")
      for (days, messages, former) in [(2, 2, 2), (2, 2, 1), (31, 1, 1), (6, 0, 0)] {
        site.clock.advance(.seconds(days * 86_400))
        try await site.tidy()
        #expect(try await count(site, "SELECT count(*) FROM message") == messages)
        #expect(try await count(site, "SELECT count(*) FROM history") == former)
      }
    }
  }

  @Test func theLogIsKeptForHalfAYear() async throws {
    try await withCommunity { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      for days in [0, 100] {
        site.clock.advance(.seconds(days * 86_400))
        _ = try await site.call(admin, "POST", "/user/\(member.id)/ban", json: ["rooms": ["lobby"]])
      }
      site.clock.advance(.seconds(81 * 86_400))
      try await site.tidy()
      #expect(try await site.call(admin, "GET", "/room/lobby/log").json.elements.map { $0["id"] } == [2])
    }
  }

  @Test func visitsAreNotedAfterTheClockIsSetBack() {
    let visits = RoomVisits()
    let place = RoomVisits.Place(room: 1, person: 2)
    let day: Int64 = 86_400_000
    visits.note(2, in: 1, now: 2 * day)
    visits.noteWritten(visits.due(now: 2 * day, always: false) ?? [:])
    visits.note(2, in: 1, now: day)
    #expect(visits.due(now: day, always: false) == [place: RoomVisits.Visit(first: day, last: day)])
  }

  @Test func visitsWaitUntilTheyAreWritten() {
    let visits = RoomVisits()
    let place = RoomVisits.Place(room: 1, person: 2)
    visits.note(2, in: 1, now: 1000)
    let due = [place: RoomVisits.Visit(first: 1000, last: 1000)]
    #expect(visits.due(now: 60_000, always: false) == due)
    #expect(visits.due(now: 60_001, always: false) == nil)
    #expect(visits.first(of: 2, in: 1) == 1000)
    #expect(visits.due(now: 120_000, always: false) == due)
    visits.noteWritten(due)
    visits.note(2, in: 1, now: 200_000)
    #expect(visits.due(now: 240_000, always: false) == [:])
    visits.note(2, in: 1, now: 601_000)
    #expect(visits.due(now: 601_000, always: true)?.keys.first == place)
  }

  @Test func unbannedPeopleAreActiveAgain() async throws {
    try await withCommunity { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      func poll() async throws {
        _ = try await site.call(member, "GET", "/room/lobby/pollInfo/0")
        try await site.tidy()
      }
      func active() async throws -> JSONValue? {
        try await site.call(nil, "GET", "/room/lobby").json["active_users"]
      }
      try await poll()
      #expect(try await active() == 1)
      _ = try await site.call(admin, "POST", "/user/\(member.id)/ban", json: ["rooms": ["lobby"]])
      try await poll()
      #expect(try await active() == 0)
      _ = try await site.call(admin, "POST", "/user/\(member.id)/unban", json: ["rooms": ["lobby"]])
      try await poll()
      #expect(try await active() == 1)
    }
  }
}
