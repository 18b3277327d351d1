import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(1))) struct RoomWatchTests {
  @Test func theServerOfAWatchedRoomIsPolledOften() async throws {
    let world = World()
    let database = try Database.inMemory(schema: .account)
    try HistoryRooms(world.servers).join(database)
    let alice = try await world.start(Messenger(.generate(), database, world.dependencies))
    let (watched, other) = ("https://one.example", "https://two.example")
    func polls(during seconds: Int) async throws -> (watched: Int, other: Int) {
      let before = (world.servers.polls(of: watched), world.servers.polls(of: other))
      for _ in 0..<seconds {
        world.clock.advance(by: 1000)
        try await alice.waitUntilIdle()
        for _ in 0..<200 { await Task.yield() }
      }
      return (world.servers.polls(of: watched) - before.0, world.servers.polls(of: other) - before.1)
    }
    let room = try Community.Place(server: watched, room: "lobby")
    var watch: ConversationWatch? = alice.watch(.room(room))
    let during = try await polls(during: 60)
    // Every 4 seconds, instead of every 10.
    #expect(11...17 ~= during.watched && during.other <= 8, "\(during)")
    withExtendedLifetime(watch) {}
    watch = nil
    _ = try await polls(during: 10)
    #expect(try await polls(during: 60).watched <= 8)
    await world.stop()
  }
}
