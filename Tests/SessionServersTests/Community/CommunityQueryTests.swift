import SessionStorage
import Testing

@testable import SessionServers

/// How the database finds rows.
@Suite(.timeLimit(.minutes(5))) struct CommunityQueryTests {
  @Test func reactionsAreFoundByTheirIndex() async throws {
    try await withCommunity { (site) async throws in
      let plan = try await site.server.store.read { transaction in
        try transaction.map(
          "EXPLAIN QUERY PLAN \(.reactedMessages)", 1, 1, false, 1, 100
        ) { (row) throws(StorageError) -> String in try row[3] }
      }
      #expect(plan.contains { $0.contains("message_reacted (room=? AND reactedSeq>?)") }, "\(plan)")
    }
  }
}
