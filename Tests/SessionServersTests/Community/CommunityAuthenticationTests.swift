import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Who may ask a community server, and how that is proved.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityAuthenticationTests {
  @Test(arguments: [CommunityIdentity.Scheme.blinded15, .blinded25], Way.allCases)
  func signedRequestsAreTaken(scheme: CommunityIdentity.Scheme, way: Way) async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member(scheme)
      let answer = try await site.call(member, "GET", "/room/lobby?a=%C3%BC&b", over: way)
      #expect(answer.status == 200)
      #expect(try await site.server.store.counts().persons == 1)
    }
  }

  @Test func anonymousRequestsMakeNoPersons() async throws {
    try await withCommunity { (site) async throws in
      #expect(try await site.call(nil, "GET", "/rooms").status == 200)
      #expect(try await site.server.store.counts().persons == 0)
    }
  }

  @Test func unblindedIdsAreSentToBlinding() async throws {
    try await withCommunity { (site) async throws in
      let answer = try await site.call(try site.member(.unblinded), "GET", "/rooms")
      #expect(answer.status == 400)
      #expect(answer.text.contains("Invalid authentication: this server requires the use of blinded ids"))
    }
    try await withCommunity {
      $0.blinding = .only25
    } body: { (site) async throws in
      let answer = try await site.call(try site.member(.blinded15), "GET", "/rooms")
      #expect(answer.text.contains("Invalid authentication: this server requires the use of blinded ids"))
      #expect(try await site.call(try site.member(.blinded25), "GET", "/rooms").status == 200)
    }
    try await withCommunity {
      $0.blinding = .none
    } body: { (site) async throws in
      let member = try site.member(.unblinded)
      #expect(try await site.post("hello", as: member)["session_id"]?.string == member.account.id.description)
    }
  }

  @Test func eachHeaderIsNeededOnce() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      for index in 0..<4 {
        var headers = try member.headers("GET", "/rooms", at: site.clock.now)
        let header = headers.remove(at: index)
        #expect(try await site.send("GET", "/rooms", headers: headers).status == 400)
        let all = headers + [header]
        #expect(try await site.send("GET", "/rooms", headers: all + [header]).status == 400)
        #expect(try await site.send("GET", "/rooms", headers: headers + [(header.0, "")]).status == 400)
        #expect(try await site.send("GET", "/rooms", headers: headers + [(header.0, "ab")]).status == 400)
        #expect(try await site.send("GET", "/rooms", headers: all).status == 200)
      }
    }
  }

  @Test(arguments: ["-1", "+1", " 1", "01", "9223372036854775808", "9223372036854775807", "1.0", "abc"])
  func malformedTimestampsAreRefused(timestamp: String) async throws {
    try await withCommunity { (site) async throws in
      var headers = try site.member().headers("GET", "/rooms", at: site.clock.now)
      headers[1].1 = timestamp
      // White space around a value is no part of it.
      let status = try await site.send("GET", "/rooms", headers: headers).status
      #expect(status == (timestamp == " 1" ? 425 : 400))
    }
  }

  @Test func noncesAndSignaturesMayBeHexadecimal() async throws {
    try await withCommunity { (site) async throws in
      var headers = try site.member().headers("GET", "/rooms", at: site.clock.now)
      for index in 2...3 { headers[index].1 = try [UInt8](base64: headers[index].1.utf8).hex }
      #expect(try await site.send("GET", "/rooms", headers: headers).status == 200)
      var other = try site.member().headers("GET", "/rooms", at: site.clock.now)
      other[3].1 = String(other[3].1.map { $0 == "+" || $0 == "/" ? "-" : $0 })
      let status = try await site.send("GET", "/rooms", headers: other).status
      #expect(other[3].1.contains("-") ? status == 400 : status == 200)
    }
  }

  @Test func theClockMayBeADayOff() async throws {
    try await withCommunity { (site) async throws in
      let (member, day) = (try site.member(), UInt64(86_400_000))
      for (time, status) in [
        (site.clock.now - day, 200), (site.clock.now + day, 200), (site.clock.now - day - 1000, 425),
        (site.clock.now + day + 1000, 425),
      ] {
        let headers = try member.headers("GET", "/rooms", at: time)
        #expect(try await site.send("GET", "/rooms", headers: headers).status == status)
      }
    }
  }

  @Test func wrongSignaturesAreRefusedAndLeaveNothing() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let headers = try member.headers("GET", "/rooms", at: site.clock.now)
      #expect(try await site.send("GET", "/room/lobby", headers: headers).status == 401)
      #expect(try await site.send("GET", "/rooms?x", headers: headers).status == 401)
      #expect(try await site.send("POST", "/batch", headers: headers, bytes("[]")).status == 401)
      // Authentication comes before the route.
      #expect(try await site.send("GET", "/nowhere", headers: headers).status == 401)
      #expect(try await site.server.store.counts().persons == 0)
      // The nonce is not spent.
      #expect(try await site.send("GET", "/rooms", headers: headers).status == 200)
      #expect(try await site.send("GET", "/rooms", headers: headers).status == 425)
    }
  }

  @Test func theDecodedPathIsSigned() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let encoded = try member.headers("GET", "/room/%6Cobby", at: site.clock.now)
      #expect(try await site.send("GET", "/room/%6Cobby", headers: encoded).status == 401)
      let decoded = try member.headers("GET", "/room/lobby", at: site.clock.now)
      #expect(try await site.send("GET", "/room/%6Cobby", headers: decoded).status == 200)
      // A query that is empty is none.
      let plain = try member.headers("GET", "/rooms", at: site.clock.now)
      #expect(try await site.send("GET", "/rooms?", headers: plain).status == 200)
    }
  }

  @Test func aChangeIsNotRepeatedAfterARestart() async throws {
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    var request: (headers: [(String, String)], body: [UInt8]) = ([], [])
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      let member = try site.member()
      request.body = bytes(try member.post("once").description)
      // A client whose clock is ahead.
      request.headers = try member.headers(
        "POST", "/room/lobby/message", request.body, at: clock.now + 86_000_000)
      let answer = try await site.send("POST", "/room/lobby/message", headers: request.headers, request.body)
      #expect(answer.status == 201)
    }
    // More than a day later its timestamp is still valid.
    clock.advance(.seconds(86_400 + 80_000))
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      let answer = try await site.send("POST", "/room/lobby/message", headers: request.headers, request.body)
      #expect(answer.status == 425)
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["once"])
    }
  }

  @Test func allIdsOfAnAccountAreOnePerson() async throws {
    try await withCommunity {
      $0.blinding = .none
    } body: { (site) async throws in
      let member = try site.member(.blinded15)
      for scheme in CommunityIdentity.Scheme.allCases {
        #expect(try await site.call(try member.with(scheme), "GET", "/rooms").status == 200)
      }
      #expect(try await site.server.store.counts().persons == 1)
    }
  }

  @Test func aBanHoldsForAllIds() async throws {
    try await withCommunity {
      $0.blinding = .none
    } body: { (site) async throws in
      let member = try site.member(.blinded15)
      try await site.post("hello", as: member)
      try await site.server.store.write { try $0.run("UPDATE person SET banned = 1") }
      for scheme in CommunityIdentity.Scheme.allCases {
        let answer = try await site.call(try member.with(scheme), "GET", "/rooms")
        #expect(answer.status == 403)
        #expect(answer.text == "Banned")
      }
    }
  }

  @Test func keysThatAreNoneAreRefused() async throws {
    try await withCommunity { (site) async throws in
      let low = "25" + String(repeating: "00", count: 32)
      let noPoint = "25" + String(repeating: "02", count: 1) + String(repeating: "00", count: 31)
      let notCanonical = "25" + "f0" + String(repeating: "ff", count: 30) + "7f"
      for id in [low, noPoint, notCanonical, "15" + low.dropFirst(2), "05" + low.dropFirst(2)] {
        var headers = try site.member().headers("GET", "/rooms", at: site.clock.now)
        headers[0].1 = id
        #expect(try await site.send("GET", "/rooms", headers: headers).status == 400)
      }
    }
  }
}
