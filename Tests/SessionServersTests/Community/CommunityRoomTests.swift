import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// The rooms of a server, and who sees them.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityRoomTests {
  /// Changes rows directly.
  private func change(_ site: CommunitySite, _ sql: SQLText) async throws {
    try await site.server.store.write { try sql.run($0) }
  }

  @Test(arguments: Way.allCases) func theServerTellsWhatItCan(way: Way) async throws {
    try await withCommunity { (site) async throws in
      let answer = try await site.call(nil, "GET", "/capabilities", over: way)
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == "application/json")
      let names = answer.json["capabilities"]?.elements.compactMap(\.string) ?? []
      #expect(names == names.sorted())
      #expect(Set(names).isSuperset(of: ["sogs", "blind", "blind25"]))
      let required = try await site.call(nil, "GET", "/capabilities?required=sogs,magic", over: way)
      #expect(required.status == 412)
      #expect(required.json["missing"] == ["magic"])
    }
  }

  @Test func aRoomIsDescribed() async throws {
    try await withCommunity { (site) async throws in
      let room = try await site.call(nil, "GET", "/room/LOBBY").json
      #expect(room["token"] == "lobby")
      #expect(room["name"] == "Lobby")
      #expect(room["info_updates"] == 0)
      #expect(room["message_sequence"] == 0)
      #expect(room["created"]?.double == Double(site.clock.now) / 1000)
      #expect(room["active_users_cutoff"] == 604_800)
      #expect(room["moderators"] == [])
      #expect(room["read"] == true)
      #expect(room["upload"] == true)
      for name in [
        "description", "image_id", "pinned_messages", "hidden_admins", "moderator", "default_read",
      ] {
        #expect(room[name] == nil)
      }
      let key = site.server.key.hex
      #expect(room["url"]?.string == "\(site.server.url)/lobby?public_key=\(key)")
      #expect(try await site.call(nil, "GET", "/rooms").json == [room])
      #expect(try await site.call(nil, "GET", "/room/other").status == 404)
    }
  }

  @Test func aPollHasTheDescriptionOnlyIfItIsAnother() async throws {
    try await withCommunity { (site) async throws in
      #expect(try await site.call(nil, "GET", "/room/lobby/pollInfo/0").json["details"] == nil)
      let details = try await site.call(nil, "GET", "/room/lobby/pollInfo/7").json["details"]
      #expect(details?["token"] == "lobby")
      #expect(try await site.call(nil, "GET", "/room/lobby/pollInfo/-1").status == 404)
    }
  }

  @Test func hiddenRoomsAreNotThereAtAnyPath() async throws {
    try await withCommunity { (site) async throws in
      try await change(site, .defaults(0))
      let member = try site.member()
      for path in ["", "/pollInfo/0", "/messages/recent", "/messages/since/0", "/message/1"] {
        for caller in [nil, member] {
          #expect(try await site.call(caller, "GET", "/room/lobby\(path)").status == 404)
        }
      }
      #expect(try await site.call(nil, "GET", "/rooms").json == [])
      let post = try await site.call(member, "POST", "/room/lobby/message", json: try member.post("x"))
      #expect(post.status == 404)
      #expect(try await site.call(nil, "DELETE", "/room/lobby/message/1").status == 404)
    }
  }

  @Test func accessibleRoomsAreShownWithoutTheirContent() async throws {
    try await withCommunity { (site) async throws in
      try await change(site, .defaults(8))
      let room = try await site.call(nil, "GET", "/room/lobby")
      #expect(room.status == 200)
      #expect(room.json["read"] == false)
      #expect(try await site.call(nil, "GET", "/room/lobby/messages/recent").status == 403)
      #expect(try await site.call(nil, "GET", "/room/lobby/pollInfo/0").status == 403)
      #expect(try await site.call(try site.member(), "GET", "/room/lobby/messages/recent").status == 403)
    }
  }

  @Test func aRoomIsClosedToBannedPeople() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("hello", as: member)
      try await change(site, .ban)
      #expect(try await site.call(member, "GET", "/room/lobby").status == 404)
      #expect(try await site.call(member, "GET", "/rooms").json == [])
      #expect(try await site.call(member, "GET", "/room/lobby/messages/recent").status == 403)
      #expect(try await site.call(member, "GET", "/room/lobby/pollInfo/0").status == 403)
      #expect(
        try await site.call(member, "POST", "/room/lobby/message", json: try member.post("x")).status == 403)
      try await change(site, .defaults(0))
      #expect(try await site.call(member, "GET", "/room/lobby/messages/recent").status == 404)
    }
  }

  @Test func activePeopleAreCounted() async throws {
    try await withCommunity { (site) async throws in
      for _ in 0..<3 { _ = try await site.call(try site.member(), "GET", "/room/lobby/pollInfo/0") }
      _ = try await site.call(nil, "GET", "/room/lobby/pollInfo/0")
      try await site.tidy()
      #expect(try await site.call(nil, "GET", "/room/lobby").json["active_users"] == 3)
      site.clock.advance(.seconds(8 * 86_400))
      try await site.tidy()
      #expect(try await site.call(nil, "GET", "/room/lobby").json["active_users"] == 0)
    }
  }

  @Test func pollsWriteNothing() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      _ = try await site.call(member, "GET", "/room/lobby/pollInfo/0")
      let before = site.server.store.commitCount
      for _ in 0..<5 {
        _ = try await site.call(member, "GET", "/room/lobby/pollInfo/0")
        _ = try await site.call(member, "GET", "/room/lobby/messages/since/0")
      }
      #expect(site.server.store.commitCount == before)
    }
  }

  @Test func roomsThatCannotBeAreRefused() {
    #expect(NewRoom(token: "a", name: "x") != nil)
    for token in ["", "static", "Room", "ü", "a b", "a/b", String(repeating: "a", count: 65)] {
      #expect(NewRoom(token: token, name: "x") == nil, "\(token)")
    }
    #expect(NewRoom(token: "a", name: "\u{1}\n") == nil)
    #expect(NewRoom(token: "a", name: "x\u{7}y")?.name == "xy")
    #expect(NewRoom(token: "a", name: "x", description: "a\tb\nc\u{0}")?.description == "a\tb\nc")
    #expect(NewRoom(token: "a", name: String(repeating: "x", count: 101)) == nil)
    #expect(NewRoom(token: "a", name: "x", description: String(repeating: "x", count: 2001)) == nil)
  }

  @Test(arguments: Way.allCases) func pathsThatNoRouteHasAreRefused(way: Way) async throws {
    try await withCommunity { (site) async throws in
      for (path, status) in [
        ("/nowhere", 404), ("/rooms/", 404), ("/room/lobby/messages/recent/", 404), ("/lobby/", 200),
        ("/oxen/v3/lsrpc", way == .plain ? 404 : 400),
        ("/loki/v3/lsrpc", way == .plain ? 404 : 400), ("/legacy/rooms", 404), ("/room/%2e%2e", 400),
        ("/room/..", 400), ("/room/%00", 400), ("/room/%FF", 400),
        ("/room/" + String(repeating: "a", count: 5000), 400),
        ("/room/" + String(repeating: "a", count: 65), 404), ("/room/lobby/messages/since/-1", 404),
        ("/room/lobby/messages/since/99999999999999999999", 200),
        ("/room/lobby/messages/recent?limit=-1", 200), ("/room/lobby/messages/recent?limit=abc", 400),
        ("/room/lobby/messages/recent?reactors=21", 200),
      ] {
        let sent =
          way == .plain
          ? try await RawRequest.status(of: "GET", path, at: try #require(site.server.address))
          : try await site.send("GET", path, headers: [], over: way).status
        #expect(sent == status, "\(path)")
      }
      let wrong = try await site.send("PUT", "/rooms", headers: [], over: way)
      #expect(wrong.status == 405)
      #expect(wrong.headers["allow"] == "GET")
    }
  }

  @Test func answersOverPlainHTTPAreNotSniffed() async throws {
    try await withCommunity { (site) async throws in
      for path in ["/rooms", "/room/nowhere", "/room/lobby/messages/recent?limit=abc"] {
        let answer = try await site.call(nil, "GET", path)
        #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
        #expect(answer.headers["Content-Type"]?.contains("html") == false)
      }
    }
  }

  @Test func headIsGetWithoutABody() async throws {
    try await withCommunity { (site) async throws in
      let answer = try await site.call(nil, "HEAD", "/rooms")
      #expect(answer.status == 200)
      #expect(answer.body.isEmpty)
    }
  }

  @Test func theKeyIsKept() async throws {
    let folder = try TemporaryFolder()
    var key: [UInt8] = []
    try await withCommunity(in: folder) { (site) async throws in key = site.server.key }
    #expect(try CommunityServer.prepare(folder: folder.path) == key)
    try await withCommunity(in: folder) { (site) async throws in
      #expect(site.server.key == key)
      #expect(throws: (any Error).self) { try CommunityServer(site.server.options) }
    }
  }
}

/// Changes of rows that tests make.
enum SQLText {
  case defaults(Int64)
  /// Bans everybody from all rooms.
  case ban

  func run(_ transaction: borrowing WriteTransaction) throws {
    switch self {
    case .defaults(let bits): try transaction.run("UPDATE room SET defaults = ?1", bits)
    case .ban:
      try transaction.run(
        "INSERT INTO override (room, person, banned) SELECT room.id, person.id, 1 FROM room, person")
    }
  }
}
