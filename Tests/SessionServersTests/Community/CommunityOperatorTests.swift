import SessionBase
import SessionCore
import SessionStorage
import Testing

@testable import SessionServers

/// Orders of an operator.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityOperatorTests {
  @Test func aBanFromARoomTakesTheRoleThere() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("hello", as: member)
      let server = site.server
      _ = try await server.carryOut(.appoint([member.id], .moderator, isHidden: false, .rooms(["lobby"])))
      #expect(try await site.call(member, "GET", "/room/lobby/bans").status == 200)
      let before = try await site.call(nil, "GET", "/room/lobby").json["info_updates"]?.integer ?? -1
      _ = try await server.carryOut(.ban([member.id], .rooms(["lobby"]), span: nil, deletes: false))
      let room = try await site.call(nil, "GET", "/room/lobby").json
      #expect(room["moderators"] == [])
      #expect(room["info_updates"]?.integer == before + 1)
      _ = try await server.carryOut(.unban([member.id], .rooms(["lobby"])))
      #expect(try await site.call(member, "GET", "/room/lobby/messages/recent").status == 200)
      #expect(try await site.call(member, "GET", "/room/lobby/bans").status == 403)
    }
  }

  @Test func aServerKnowsWhetherItAnswersAtItsURL() async throws {
    try await withCommunity { (site) async throws in
      #expect(await site.server.reach() == .server)
      let place = site.server.rules.place
      try await withCommunity { (other) async throws in
        place.move(to: other.server.url)
        #expect(await site.server.reach() == .other)
      }
      // It has stopped.
      #expect(await site.server.reach() == .nothing)
      place.move(to: "http://127.0.0.1:1/of/no/server")
      #expect(await site.server.reach() == .nothing)
    }
  }
}
