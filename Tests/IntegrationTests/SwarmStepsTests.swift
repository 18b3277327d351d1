import SessionCore
import SessionNetworking
import SessionNode
import Testing

/// The steps of a sequence, run by real nodes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SwarmStepsTests {
  private let account: Account

  init() throws { account = try Account.generate() }

  private func items(_ count: Int, in namespace: StorageNamespace = .messages) -> [SwarmItem] {
    (0..<count).map { SwarmItem(Array("item \($0)".utf8), in: namespace, for: .seconds(3600)) }
  }

  @Test func moreStepsThanOneRequestTakesAreAllDone() async throws {
    try await withTown { town in
      try await town.withSwarms { swarms in
        let items = items(45)
        let results = try await swarms.perform(items.map(SwarmStep.store), in: account.id, as: nil)
        #expect(results.count == 45)
        for result in results {
          guard case .done(let members, let all, let end) = result else { throw NotDone(result: result) }
          #expect(members > 0 && members <= all && end != nil)
        }
        let hashes = items.map { $0.hash(in: account.id) }
        let deletion = try await swarms.perform(
          SwarmStep.deleting(hashes), in: account.id, as: .account(account))
        #expect(deletion.map(\.isDone) == [true])
        #expect(try await swarms.expiries(of: hashes, as: .account(account)).isEmpty)
      }
    }
  }

  @Test func storingAndDeletingGoInOneSequence() async throws {
    try await withTown { town in
      try await town.withSwarms { swarms in
        let (old, new) = (items(2, in: .contacts)[0], items(2, in: .contacts)[1])
        let signer = Storage.Signer.account(account)
        try await swarms.perform([.store(old)], in: account.id, as: signer).check()
        let results = try await swarms.perform(
          [.store(new), .delete([old.hash(in: account.id)])], in: account.id, as: signer)
        #expect(results.allSatisfy { $0.isDone })
        let left = try await swarms.expiries(
          of: [old, new].map { $0.hash(in: account.id) }, as: signer)
        #expect(Set(left.keys) == [new.hash(in: account.id)])
      }
    }
  }

  @Test func aDeadMemberHasSignedNothing() async throws {
    try await withTown(nodes: 4) { town in
      try await town.withSwarms { swarms in
        let (items, signer) = (items(2), Storage.Signer.account(account))
        let hashes = items.map { $0.hash(in: account.id) }
        try await swarms.perform(items.map(SwarmStep.store), in: account.id, as: nil).check()
        let soon = try MessageTime(milliseconds: try #require(swarms.time).milliseconds + 600_000)
        let all = try await swarms.shorten([hashes[0]], to: soon, as: signer)
        #expect(all == ShortenedExpiries([hashes[0]: soon], isSignedByAll: true))
        try await town.net.kill(2)
        let some = try await swarms.shorten([hashes[1]], to: soon, as: signer)
        #expect(some == ShortenedExpiries([hashes[1]: soon], isSignedByAll: false))
        let deletion = try await swarms.perform([.delete([hashes[1]])], in: account.id, as: signer)
        #expect(deletion == [.done(members: 3, of: 4, until: nil)])
      }
    }
  }

  /// Only the account itself stores in a namespace of configs.
  @Test(arguments: [22, 40]) func stepsBehindOneThatFailsAreNotDone(place: Int) async throws {
    try await withTown { town in
      try await town.withSwarms { swarms in
        let forbidden = items(1, in: .contacts)
        let steps = (items(place) + forbidden + items(44 - place)).map(SwarmStep.store)
        let results = try await swarms.perform(steps, in: account.id, as: nil)
        #expect(results.count == 45)
        #expect(results.prefix(place).allSatisfy { $0.isDone })
        guard case .failed(let failure) = results[place] else { throw NotDone(result: results[place]) }
        #expect(failure.kind == .unauthorized)
        #expect(results.dropFirst(place + 1).allSatisfy { $0 == .notDone })
        let error = #expect(throws: NetworkFailure.self) { try results.check() }
        #expect(error == failure)
      }
    }
  }

  @Test func strangersDeleteNothing() async throws {
    try await withTown { town in
      try await town.withSwarms { swarms in
        let error = await #expect(throws: NetworkFailure.self) {
          try await swarms.perform([.delete(["hash"])], in: account.id, as: nil)
        }
        #expect(error?.kind == .unauthorized)
      }
    }
  }

  private struct NotDone: Error {
    let result: SwarmStepResult
  }
}
