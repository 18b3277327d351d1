import SessionCore
import Testing

extension NetworkClientTests {
  /// Several requests in one.
  @Suite(.serialized) struct BatchTests {
    private let me: Storage.Signer
    private let id: SessionID

    init() throws {
      let account = try Example.first()
      me = .account(account)
      id = account.id
    }

    @Test func eachRequestHasItsOwnReply() async throws {
      try await onLoopback { nodes, client in
        var batch = Storage.Batch(.sequence)
        let store = batch.add(Storage.Store([1], as: me, in: .profile, lifetime: .seconds(60)))
        let inbox = batch.add(Storage.Retrieve(.messages, as: me, limit: .part(2)))
        let profile = batch.add(Storage.Retrieve(.profile, as: me, limit: .part(2)))
        let results = try await client.send(batch).reply
        #expect(results.count == 3)
        let stored = try results[store].get()
        #expect(stored.isEnough && stored.swarmSize == 5)
        #expect(try results[inbox].get().messages.isEmpty)
        #expect(try results[profile].get().messages.map(\.data) == [[1]])
        #expect(nodes.storage.asked.map(\.method).contains("sequence"))
      }
    }

    @Test func oneThatFailsLeavesTheOthersAlone() async throws {
      try await onLoopback { _, client in
        var batch = Storage.Batch()
        let wrong = batch.add(Storage.Retrieve(.contacts, of: id))
        let right = batch.add(Storage.Retrieve(.contacts, as: me))
        let results = try await client.send(batch).reply
        guard case .failure(let error) = results[wrong] else {
          Issue.record("it was retrieved")
          return
        }
        #expect(error.code == .requestFailed && error.refusal?.code == 401)
        #expect(try results[right].get().messages.isEmpty)
      }
    }

    @Test func aSequenceEndsWithTheFirstThatFails() async throws {
      try await onLoopback { nodes, client in
        var batch = Storage.Batch(.sequence)
        let wrong = batch.add(Storage.Store([1], to: id, in: .contacts, lifetime: .seconds(60)))
        let late = batch.add(Storage.Store([2], as: me, in: .contacts, lifetime: .seconds(60)))
        let second = batch.add(Storage.Store([3], as: me, in: .contacts, lifetime: .seconds(60)))
        _ = second
        var good = Storage.Batch(.sequence)
        let first = good.add(Storage.Store([4], as: me, in: .contacts, lifetime: .seconds(60)))
        let broken = good.add(Storage.Retrieve(.profile, of: id))
        let behind = good.add(Storage.Retrieve(.contacts, as: me))
        let results = try await client.send(good).reply
        #expect(results.count == 2)
        #expect(try results[first].get().isEnough)
        #expect(results[broken].code == .requestFailed)
        #expect(results[behind].code == .notFound)
        let others = try await client.send(batch).reply
        #expect(others[wrong].code == .requestFailed)
        #expect(others[late].code == .notFound)
        #expect(nodes.storage.hashes.count == 1)
      }
    }

    @Test func aBatchHasItsBounds() async throws {
      try await onLoopback { _, client in
        await expectFailure(.storageBatch) { _ = try await client.send(Storage.Batch(), to: .anyNode) }
        var large = Storage.Batch()
        for _ in 0...Storage.Batch.maxCount { _ = large.add(Storage.Retrieve(.messages, as: me)) }
        let full = large
        await expectFailure(.storageBatch) { _ = try await client.send(full) }
        var nested = Storage.Batch()
        _ = nested.add(Storage.Batch())
        let inner = nested
        await expectFailure(.storageBatch) { _ = try await client.send(inner, to: .anyNode) }
        var mixed = Storage.Batch()
        _ = mixed.add(Storage.Retrieve(.messages, as: me))
        _ = mixed.add(Storage.Retrieve(.messages, as: .account(try Example.second())))
        let two = mixed
        await expectFailure(.argument) { _ = try await client.send(two, to: .swarm) }
        #expect(try await client.send(two).reply.count == 2)
      }
    }
  }
}
