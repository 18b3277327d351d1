import Testing

@testable import SessionServers
@testable import SessionStorage

@Suite(.timeLimit(.minutes(5))) struct RoomWaitsTests {
  /// The changes of a room, or of all rooms for nil.
  private func changes(of room: Int64?) throws -> ChangeSet {
    let center = ObservationCenter()
    let observation = center.observe(.communityRoom(nil))
    center.announce(.communityRoom(room))
    return try #require(observation.fetch())
  }

  @Test(.timeLimit(.minutes(5)), arguments: [1, nil] as [Int64?])
  func onlyChangesOfTheRoomEndTheWaiting(change: Int64?) async throws {
    let waits = RoomWaits(connections: 100)
    let ticket = waits.ticket(for: 1)
    let waiting = Task { await waits.wait(ticket, until: .now + .seconds(3600)) }
    while waits.count == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    waits.note(try changes(of: 2))
    #expect(waits.count == 1)
    waits.note(try changes(of: change))
    #expect(waits.count == 0)
    #expect(await waiting.value)
  }

  @Test(.timeLimit(.minutes(5))) func aChangeSinceTheReadingEndsTheWaitingAtOnce() async throws {
    let waits = RoomWaits(connections: 100)
    let (old, other) = (waits.ticket(for: 1), waits.ticket(for: 2))
    waits.note(try changes(of: 1))
    #expect(await waits.wait(old, until: .now + .seconds(3600)))
    let waiting = Task { await waits.wait(other, until: .now + .seconds(3600)) }
    while waits.count == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    waits.close()
    #expect(await waiting.value == false)
  }

  @Test func soManyRequestsWait() {
    let waits = RoomWaits(connections: 8)
    let admitted = ([[1], [2], [3]] as [[UInt8]]).map { waits.enter($0) }
    #expect(admitted == [true, true, false])
    waits.leave([1])
    #expect(waits.enter([3]))
    #expect(waits.admitted == 3)
  }
}
