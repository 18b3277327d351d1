import SessionCore
import SessionNetworking
import Testing

@testable import SessionMessaging

@Suite struct FailingNamespaceTests {
  @Test func messagesComeThoughANamespaceOfTheAccountFails() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.failNamespaces([.contacts])
      try await alice.send("are you there?", to: bob.id)
      try await alice.waitUntilIdle()
      // The poll counts as failed, so that the poller tries another node soon.
      #expect(await !bob.poll())
      #expect(await bob.pollCondition().failures > 0)
      #expect(try await bob.last(in: alice.id).body == "are you there?")
      world.swarms.failNamespaces([])
      #expect(await bob.poll())
      #expect(await bob.pollCondition().failures == 0)
    }
  }
}
