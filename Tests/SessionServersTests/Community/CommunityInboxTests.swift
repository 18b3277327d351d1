import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Messages between two people of a server.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityInboxTests {
  private let letter = JSONValue.object([
    .init("message", .string(([0] + [UInt8](repeating: 7, count: 60)).base64))
  ])

  private func send(_ site: CommunitySite, _ sender: Member, to id: String, _ json: JSONValue? = nil)
    async throws
    -> CommunitySite.Answer
  {
    try await site.call(sender, "POST", "/inbox/\(id)", json: json ?? letter)
  }

  @Test(arguments: Way.allCases) func lettersReachTheirRecipients(way: Way) async throws {
    try await withCommunity { (site) async throws in
      let (sender, recipient) = (try site.member(), try site.member())
      _ = try await site.call(recipient, "GET", "/rooms", over: way)
      #expect(try await site.call(recipient, "GET", "/inbox", over: way).json == [])
      let none = try await site.call(recipient, "GET", "/inbox/since/0", over: way)
      #expect(none.status == 304)
      #expect(none.body.isEmpty)
      let receipt = try await send(site, sender, to: recipient.id)
      #expect(receipt.status == 201)
      #expect(receipt.json["id"] == 1)
      #expect(receipt.json["sender"]?.string == sender.id)
      #expect(receipt.json["recipient"]?.string == recipient.id)
      #expect(receipt.json["message"] == nil)
      let day = 86_400.0
      #expect(
        receipt.json["expires_at"]?.double == (receipt.json["posted_at"]?.double ?? 0) + 15 * day)
      let inbox = try await site.call(recipient, "GET", "/inbox", over: way).json.elements
      #expect(inbox.map { $0["message"] } == [letter["message"]])
      #expect(try await site.call(sender, "GET", "/outbox/since/0", over: way).json == .array(inbox))
      #expect(try await site.call(recipient, "GET", "/inbox/since/1", over: way).status == 304)
      // All ids of a person have one inbox.
      let other = try recipient.with(.blinded25)
      #expect(try await site.call(other, "GET", "/inbox", over: way).json == .array(inbox))
      #expect(try await site.call(recipient, "DELETE", "/inbox", over: way).json == ["deleted": 1])
      #expect(try await site.call(recipient, "DELETE", "/inbox", over: way).json == ["deleted": 0])
      #expect(try await send(site, sender, to: recipient.id).json["id"] == 2)
    }
  }

  @Test func lettersAreForBlindedIds() async throws {
    try await withCommunity {
      $0.blinding = .none
    } body: { (site) async throws in
      let (member, other) = (try site.member(.unblinded), try site.member())
      _ = try await site.call(other, "GET", "/rooms")
      for path in ["/inbox", "/outbox", "/inbox/since/0"] {
        #expect(try await site.call(member, "GET", path).status == 401)
        #expect(try await site.call(nil, "GET", path).status == 401)
      }
      #expect(try await send(site, member, to: other.id).status == 401)
      #expect(try await send(site, other, to: other.account.id.description).status == 404)
    }
  }

  @Test func malformedLettersAreRefused() async throws {
    try await withCommunity { (site) async throws in
      let (sender, recipient) = (try site.member(), try site.member())
      _ = try await site.call(recipient, "GET", "/rooms")
      for (data, status) in [
        ([0] + [UInt8](repeating: 7, count: 55), 400), ([1] + [UInt8](repeating: 7, count: 60), 400),
        ([UInt8](repeating: 0, count: 32 * 1024 + 1), 413), ([UInt8](repeating: 0, count: 32 * 1024), 201),
        ([UInt8](repeating: 0, count: 57), 201),
      ] {
        let json: JSONValue = ["message": .string(data.base64)]
        #expect(try await send(site, sender, to: recipient.id, json).status == status)
      }
      #expect(try await send(site, sender, to: recipient.id, ["message": 1]).status == 400)
      #expect(try await send(site, sender, to: sender.id).status == 201)
    }
  }

  @Test func lettersToUnknownPeopleAreRefused() async throws {
    try await withCommunity { (site) async throws in
      let (sender, admin, banned) = (try site.member(), try await site.admin(), try site.member())
      #expect(try await send(site, sender, to: try site.member().id).status == 404)
      for id in ["junk", sender.id + "00", "15" + String(repeating: "zz", count: 32)] {
        #expect(try await send(site, sender, to: id).status == 400)
      }
      _ = try await site.call(banned, "GET", "/rooms")
      #expect(try await send(site, banned, to: sender.id).status == 201)
      _ = try await site.call(admin, "POST", "/user/\(banned.id)/ban", json: ["global": true])
      #expect(try await send(site, sender, to: banned.id).status == 404)
      // What was not read goes with its sender.
      #expect(try await site.call(sender, "GET", "/inbox").json == [])
    }
  }

  @Test func newRecipientsAreFewADay() async throws {
    try await withCommunity {
      $0.letters.newRecipientsPerDay = 3
    } body: { (site) async throws in
      let (sender, known) = (try site.member(), try site.member())
      _ = try await site.call(known, "GET", "/rooms")
      #expect(try await send(site, sender, to: known.id).status == 201)
      // Those who are not there count, too.
      for _ in 0..<2 { #expect(try await send(site, sender, to: try site.member().id).status == 404) }
      #expect(try await send(site, sender, to: try site.member().id).status == 429)
      #expect(try await send(site, sender, to: known.id).status == 201)
      site.clock.advance(.seconds(86_401))
      #expect(try await send(site, sender, to: try site.member().id).status == 404)
    }
  }

  @Test func lettersAreFewAnHour() async throws {
    try await withCommunity {
      $0.letters.perHour = 2
    } body: { (site) async throws in
      let (sender, recipient) = (try site.member(), try site.member())
      _ = try await site.call(recipient, "GET", "/rooms")
      for status in [201, 201, 429] {
        #expect(try await send(site, sender, to: recipient.id).status == status)
      }
      site.clock.advance(.seconds(3601))
      #expect(try await send(site, sender, to: recipient.id).status == 201)
    }
  }

  @Test func deletedLettersCountToo() async throws {
    try await withCommunity {
      $0.letters.perHour = 2
    } body: { (site) async throws in
      let (sender, recipient) = (try site.member(), try site.member())
      _ = try await site.call(recipient, "GET", "/rooms")
      for status in [201, 201, 429] {
        #expect(try await send(site, sender, to: recipient.id).status == status)
        _ = try await site.call(recipient, "DELETE", "/inbox")
      }
    }
  }

  @Test(arguments: [
    (CommunityServer.Options.Letters.FromBanned.discard, 201, 0), (.refuse, 403, 0), (.allow, 201, 1),
  ])
  func lettersOfThoseBannedFromASharedRoom(
    rule: CommunityServer.Options.Letters.FromBanned, status: Int, count: Int
  ) async throws {
    try await withCommunity {
      $0.letters.fromBanned = rule
    } body: { (site) async throws in
      let (sender, recipient, admin) = (try site.member(), try site.member(), try await site.admin())
      _ = try await site.call(recipient, "GET", "/room/lobby/pollInfo/0")
      try await site.tidy()
      _ = try await site.call(admin, "POST", "/user/\(sender.id)/ban", json: ["rooms": ["lobby"]])
      #expect(try await send(site, sender, to: recipient.id).status == status)
      #expect(try await site.call(recipient, "GET", "/inbox").json.elements.count == count)
      // Moderators can be asked why.
      #expect(try await send(site, sender, to: admin.id).status == 201)
      #expect(try await site.call(admin, "GET", "/inbox").json.elements.count == 1)
    }
  }

  @Test func lettersExpire() async throws {
    try await withCommunity { (site) async throws in
      let (sender, recipient) = (try site.member(), try site.member())
      _ = try await site.call(recipient, "GET", "/rooms")
      #expect(try await send(site, sender, to: recipient.id).status == 201)
      site.clock.advance(.seconds(15 * 86_400))
      #expect(try await site.call(recipient, "GET", "/inbox").json == [])
      try await site.tidy()
      let count = try await site.server.store.read { try $0.value("SELECT count(*) FROM inbox") as Int? }
      #expect(count == 0)
    }
  }

  @Test func lettersCanBeOff() async throws {
    try await withCommunity {
      $0.letters.areAllowed = false
    } body: { (site) async throws in
      let member = try site.member()
      #expect(try await site.call(member, "GET", "/inbox").status == 404)
      #expect(try await send(site, member, to: member.id).status == 404)
    }
  }

  /// Somebody who is kept out may ask the moderators why.
  @Test func noSettingKeepsLettersFromModerators() async throws {
    try await withCommunity {
      $0.letters.newRecipientsPerDay = 0
      $0.letters.perHour = 0
      $0.letters.minPosts = 5
      $0.letters.minAge = 86_400_000
      $0.letters.fromBanned = .refuse
    } body: { (site) async throws in
      let (sender, recipient, admin) = (try site.member(), try site.member(), try await site.admin())
      let moderator = try site.member()
      for person in [recipient, moderator] {
        _ = try await site.call(person, "GET", "/room/lobby/pollInfo/0")
      }
      try await site.tidy()
      _ = try await site.server.carryOut(
        .appoint([moderator.id], .moderator, isHidden: false, .rooms(["lobby"])))
      _ = try await site.call(admin, "POST", "/user/\(sender.id)/ban", json: ["rooms": ["lobby"]])
      #expect(try await send(site, sender, to: recipient.id).status == 403)
      for person in [admin, moderator] {
        #expect(try await send(site, sender, to: person.id).status == 201)
        #expect(try await site.call(person, "GET", "/inbox").json.elements.count == 1)
      }
    }
  }

  @Test func lettersToModeratorsAreSoManyAnHourOfTheirOwn() async throws {
    try await withCommunity {
      $0.letters.perHour = 30
    } body: { (site) async throws in
      let (sender, recipient, admin) = (try site.member(), try site.member(), try await site.admin())
      _ = try await site.call(recipient, "GET", "/rooms")
      for _ in 0..<30 { #expect(try await send(site, sender, to: admin.id).status == 201) }
      #expect(try await send(site, sender, to: admin.id).status == 429)
      for _ in 0..<30 { #expect(try await send(site, sender, to: recipient.id).status == 201) }
      #expect(try await send(site, sender, to: recipient.id).status == 429)
      site.clock.advance(.seconds(3601))
      #expect(try await send(site, sender, to: admin.id).status == 201)
    }
  }
}
