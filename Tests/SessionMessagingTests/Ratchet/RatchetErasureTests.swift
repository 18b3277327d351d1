import Foundation
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Keys that were used or whose time is over are in no file of the account, also for somebody who has its key.
@Suite struct RatchetErasureTests {
  /// Bob, whose database is a file, has talked with Alice.
  private func withStoredBob(
    _ body: (World, _ alice: Messenger, _ bob: Messenger, _ pages: () throws -> DecryptedPages) async throws
      -> Void
  ) async throws {
    let world = World()
    let folder = FileManager.default.temporaryDirectory.appending(path: "erasure-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, key) = (folder.appending(path: "messages.db").path, try SecretBytes.random(count: 32))
    let alice = try await world.device(of: .generate(), name: "Alice")
    let database = try Database.open(path, key: try DatabaseKey(key), schema: .account)
    let bob = try await world.start(Messenger(.generate(), database, world.environment))
    try await alice.send("hello", to: bob.id)
    try await world.settle()
    try await bob.send("hello", to: alice.id)
    try await alice.enableSecurity()
    try await bob.enableSecurity()
    try await world.settle()
    for number in 0..<2 {
      try await alice.send("alice \(number)", to: bob.id)
      try await world.settle()
      try await bob.send("bob \(number)", to: alice.id)
      try await world.settle()
    }
    do { try await body(world, alice, bob) { try DecryptedPages(of: path, key: key.reveal()) } } catch {
      await world.stop()
      throw error
    }
    await world.stop()
  }

  /// The secrets of the newest session: root key, own key pair, chain and header keys.
  private func sessionSecrets(of messenger: Messenger) async throws -> [[UInt8]] {
    try await messenger.context.database.read { transaction in
      let state = try #require(try transaction.newestRatchetSessions().first).state.reveal()
      return [105, 137, 201, 233, 265, 297].map { Array(state[$0..<$0 + 32]) }.filter { secret in
        secret.contains { $0 != 0 }
      }
    }
  }

  @Test func keysOfASessionAreGoneOnceItWentOn() async throws {
    try await withStoredBob { world, alice, bob, pages in
      let old = try await sessionSecrets(of: bob)
      #expect(old.count >= 5)
      // Fewer pages to decrypt.
      #expect(try await bob.context.database.emptyLog())
      let before = try pages()
      #expect(old.allSatisfy { before.contains($0) }, "the reader finds what is there")
      for number in 0..<2 {
        try await alice.send("later \(number)", to: bob.id)
        try await world.settle()
        try await bob.send("later \(number)", to: alice.id)
        try await world.settle()
      }
      world.clock.advance(by: LogEmptying.delay)
      try await world.settle(rounds: 1)
      let after = try pages()
      for (index, secret) in old.enumerated() { #expect(!after.contains(secret), "secret \(index)") }
      let new = try await sessionSecrets(of: bob)
      #expect(new.allSatisfy { after.contains($0) })
    }
  }

  @Test func keysOfAMissingMessageAreGoneWithTheirUse() async throws {
    try await withStoredBob { world, alice, bob, pages in
      await bob.suspend()
      for number in 0..<3 { try await alice.send("\(number)", to: bob.id) }
      try await alice.waitUntilIdle()
      let sent = world.swarms.sealedForDevices(bob.id).suffix(3)
      world.swarms.keepNewest(1, of: bob.id)
      await bob.resume()
      try await world.settle()
      let keys = try await bob.context.database.read { transaction in
        let session = try #require(try transaction.newestRatchetSessions().first)
        return try transaction.skippedKeys(of: session.id).map { $0.messageKey.reveal() }
      }
      #expect(keys.count == 2)
      // Fewer pages to decrypt.
      #expect(try await bob.context.database.emptyLog())
      let before = try pages()
      #expect(keys.allSatisfy { before.contains($0) }, "the reader finds what is there")
      for message in sent { world.swarms.put(message.data, to: bob.id) }
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(3).sorted() == ["0", "1", "2"])
      world.clock.advance(by: LogEmptying.delay)
      try await world.settle(rounds: 1)
      let after = try pages()
      #expect(!keys.contains { after.contains($0) })
    }
  }

  @Test func prekeysAreGoneAfterTheirTime() async throws {
    try await withStoredBob { world, _, bob, pages in
      let (secret, oneTime) = try await bob.context.database.read { transaction in
        let generation = try #require(try transaction.ratchetSelf()).generation
        let prekeys = try #require(try transaction.ratchetPrekeys(UInt32(clamping: generation)))
        return (prekeys.secret.reveal(), prekeys.oneTime.values.map { $0.reveal() })
      }
      // Fewer pages to decrypt.
      #expect(try await bob.context.database.emptyLog())
      let before = try pages()
      #expect(before.contains(secret))
      #expect(
        !oneTime.isEmpty && oneTime.allSatisfy { before.contains($0) }, "the reader finds what is there")
      try await bob.disableSecurity()
      try await world.pass(days: 18, hoursApart: 24)
      let after = try pages()
      #expect(!after.contains(secret) && !oneTime.contains { after.contains($0) })
    }
  }
}
