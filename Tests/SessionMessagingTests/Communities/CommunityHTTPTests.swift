import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// A community server that is named with http.
@Suite(.timeLimit(.minutes(1))) struct CommunityHTTPTests {
  @Test func roomsAndPeopleAreReachedOverPlainHTTP() async throws {
    let world = World()
    let community = try TestCommunity { [clock = world.clock] in clock.now }
    community.change { $0.addRoom("lobby") }
    let site = try CommunityHTTP(community)
    let link = try CommunityLink(parsing: "\(site.url)/lobby?public_key=\(community.key.hex)")
    var environment = world.environment
    environment.communities = CommunityClient(through: site)
    environment.makeServerFeed = nil
    func device() async throws -> Messenger {
      try await world.start(Messenger(.generate(), .inMemory(schema: .account), environment))
    }
    let (alice, bob) = (try await device(), try await device())
    let room = try await alice.joinRoom(link)
    _ = try await bob.joinRoom(link)
    try await bob.waitUntilStored(try await bob.send("I am Bob", to: room))
    #expect(await alice.supervisor.pollNow(.server(link.server)))
    let post = try #require(try await alice.messages(in: room).first)
    #expect(post.body == "I am Bob")
    try await alice.waitUntilStored(try await alice.send("Hello", to: post.author))
    #expect(await bob.supervisor.pollNow(.server(link.server)))
    #expect(try await bob.bodies(in: alice.id) == ["Hello"])
    await world.stop()
    await site.stop()
  }
}
