import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(1))) struct RoomWatchTests {
  @Test func theServerOfAWatchedRoomIsPolledOften() async throws {
    let world = World()
    let database = try Database.inMemory(schema: .account)
    try HistoryRooms(world.servers).join(database)
    let alice = try await world.start(Messenger(.generate(), database, world.environment))
    let (watched, other) = ("https://one.example", "https://two.example")
    func polls(during seconds: Int) async throws -> (watched: Int, other: Int) {
      let before = (world.servers.polls(of: watched), world.servers.polls(of: other))
      for _ in 0..<seconds {
        world.clock.advance(by: 1000)
        try await alice.waitUntilIdle()
        // The pollers of the account and of both servers, and what runs jobs.
        while world.clock.sleepers < 4 {
          try Task.checkCancellation()
          await Task.yield()
        }
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

  @Test func aServerIsPolledFromJoiningItsFirstRoomToLeavingItsLast() async throws {
    let world = World()
    let database = try Database.inMemory(schema: .account)
    let alice = try await world.start(Messenger(.generate(), database, world.environment))
    try await world.settle()
    let server = "https://two.example"
    let key = [UInt8](repeating: 7, count: 32)
    let link = try CommunityLink(parsing: "\(server)/lobby?public_key=\(key.hex)")
    try HistoryRooms(world.servers).join(database)
    #expect(world.servers.polls(of: server) == 0)
    try await alice.author.edit { configs, _ in
      try configs.groups.update(link) { _ in }
    } writing: { _, _, _ in
    }
    // The first poll needs no time to pass.
    while world.servers.polls(of: server) == 0, !Task.isCancelled { await Task.yield() }

    let room = try Community.Place(server: server, room: "lobby")
    try await alice.author.edit { configs, _ in
      _ = try configs.groups.remove(room)
    } writing: { _, transaction, _ in
      guard var row = try transaction.communities(on: server).first else { return }
      row.isPolled = false
      try transaction.put(row)
    }
    try await world.settle(rounds: 1)
    let polls = world.servers.polls(of: server)
    try await world.settle(rounds: 10)
    #expect(world.servers.polls(of: server) == polls)
    await world.stop()
  }
}
