import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Requests that wait for the next change of a room.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityWaitTests {
  private static let path = "/room/lobby/messages/since/0?wait=25"

  /// Returns once so many requests wait.
  private func waits(_ site: CommunitySite, _ count: Int) async {
    while site.server.rules.waits.count != count, !Task.isCancelled { await Task.yield() }
  }

  @Test(.timeLimit(.minutes(5))) func aPostEndsTheWaiting() async throws {
    try await withCommunity { (site) async throws in
      let (reader, author) = (try site.member(), try site.member())
      let answer = Task { try await site.texts(reader, Self.path) }
      let anonymous = Task { try await site.texts(nil, Self.path) }
      await waits(site, 2)
      try await site.post("hello", as: author)
      #expect(try await answer.value == ["hello"])
      #expect(try await anonymous.value == ["hello"])
      // There is something to tell at once.
      #expect(try await site.texts(reader, Self.path) == ["hello"])
    }
  }

  @Test(.timeLimit(.minutes(5))) func whatTheReaderMayNotSeeDoesNotEndTheWaiting() async throws {
    try await withCommunity { (site) async throws in
      let (reader, admin) = (try site.member(), try await site.admin())
      let answer = Task { try await site.texts(reader, Self.path) }
      await waits(site, 1)
      let whisper = try admin.post("quiet", [.init("whisper_mods", true)])
      #expect(try await site.call(admin, "POST", "/room/lobby/message", json: whisper).status == 201)
      try await site.post("loud", as: admin)
      #expect(try await answer.value == ["loud"])
    }
  }

  @Test(.timeLimit(.minutes(5))) func aBanEndsTheWaiting() async throws {
    try await withCommunity { (site) async throws in
      let (reader, admin) = (try site.member(), try await site.admin())
      let answer = Task { try await site.call(reader, "GET", Self.path).status }
      await waits(site, 1)
      _ = try await site.call(admin, "POST", "/user/\(reader.id)/ban", json: ["global": true])
      try await site.post("next", as: admin)
      #expect(try await answer.value == 403)
    }
  }

  @Test(.timeLimit(.minutes(5))) func withoutNewsTheTimeEnds() async throws {
    try await withCommunity { (site) async throws in
      #expect(try await site.call(nil, "GET", "/room/lobby/messages/since/0?wait=1").json == [])
      #expect(site.server.rules.waits.count == 0)
    }
  }

  @Test func someRequestsDoNotWait() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      // The nodes of a path do not keep their connections for one client.
      #expect(try await site.call(member, "GET", Self.path, over: .onion).json == [])
      let batch = JSONValue.array([["method": "GET", "path": .string(Self.path)]])
      #expect(try await site.call(member, "POST", "/batch", bytes(batch.description)).status == 200)
      for wait in ["0", "-1"] {
        #expect(try await site.call(member, "GET", "/room/lobby/messages/since/0?wait=\(wait)").json == [])
      }
      #expect(try await site.call(member, "GET", "/room/lobby/messages/since/0?wait=x").status == 400)
      #expect(try await site.call(member, "GET", "/room/none/messages/since/0?wait=25").status == 404)
      #expect(site.server.rules.waits.admitted == 0)
    }
  }

  @Test func strangersOnTheInternetDoNotWaitWithoutTLS() async throws {
    try await withCommunity { options in
      options.trustedProxies = [options.addresses[0]]
    } body: { (site) async throws in
      func status(_ headers: [(String, String)]) async throws -> JSONValue {
        try await site.send("GET", Self.path, headers: headers).json
      }
      #expect(try await status([("X-Forwarded-For", "203.0.113.1")]) == [])
      let plain = [("X-Forwarded-For", "203.0.113.1"), ("X-Forwarded-Proto", "http")]
      #expect(try await status(plain) == [])
      #expect(site.server.rules.waits.admitted == 0)
    }
  }

  @Test(.timeLimit(.minutes(5))) func clientsOfAProxyWithTLSWait() async throws {
    try await withCommunity { options in
      options.trustedProxies = [options.addresses[0]]
    } body: { (site) async throws in
      let secure = [("X-Forwarded-For", "203.0.113.1"), ("X-Forwarded-Proto", "https")]
      let answer = Task { try await site.send("GET", Self.path, headers: secure).json.elements.count }
      await waits(site, 1)
      try await site.post("hello", as: try site.member())
      #expect(try await answer.value == 1)
    }
  }

  @Test(.timeLimit(.minutes(5))) func onePersonWaitsSoOften() async throws {
    try await withCommunity { (site) async throws in
      let (reader, author) = (try site.member(), try site.member())
      let answers = (0..<RoomWaits.maxOfOne).map { _ in Task { try await site.texts(reader, Self.path) } }
      await waits(site, RoomWaits.maxOfOne)
      #expect(try await site.texts(reader, Self.path) == [])
      #expect(site.server.rules.waits.admitted == RoomWaits.maxOfOne)
      try await site.post("hello", as: author)
      for answer in answers { #expect(try await answer.value == ["hello"]) }
      let next = "/room/lobby/messages/since/1?wait=25"
      let again = Task { try await site.texts(reader, next) }
      await waits(site, 1)
      try await site.post("again", as: author)
      #expect(try await again.value == ["again"])
    }
  }

  @Test func serversWithFewConnectionsKeepMostOfThemForOthers() async throws {
    try await withCommunity {
      $0.maxConnections = 16
    } body: { site in
      #expect(site.server.rules.waits.limit == 4)
    }
    #expect(RoomWaits(connections: 65_536).limit == 256)
  }

  @Test(.timeLimit(.minutes(5))) func theEndOfTheServerEndsTheWaiting() async throws {
    try await withCommunity { (site) async throws in
      let answer = Task { try await site.texts(nil, Self.path) }
      await waits(site, 1)
      await site.server.stop(grace: .seconds(600))
      #expect(try await answer.value == [])
    }
  }

  @Test(
    arguments: [
      ("127.0.0.1", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.31.9.9", true),
      ("172.32.0.1", false), ("192.168.1.1", true), ("192.169.1.1", false), ("169.254.1.1", true),
      ("8.8.8.8", false), ("[::1]", true), ("[fd00::1]", true), ("[fe80::1]", true), ("[fec0::1]", false),
      ("[2001:db8::1]", false),
      ("[::ffff:10.0.0.1]", true), ("[::ffff:8.8.8.8]", false),
    ] as [(String, Bool)])
  func addressesOfPrivateNetworks(host: String, isPrivate: Bool) throws {
    #expect(try NetworkAddress(parsing: "\(host):1").isPrivate == isPrivate)
  }
}
