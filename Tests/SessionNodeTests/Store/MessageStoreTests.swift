import SessionCore
import SessionNodeCore
import SessionStorage
import Testing

@testable import SessionNode

@Suite struct MessageStoreTests {
  private let account: [UInt8] = [0x05] + [UInt8](repeating: 7, count: 32)

  private func keep(_ data: [UInt8], in store: MessageStore, expiry: UInt64 = 2000) async throws
    -> MessageStore.Stored
  {
    try await store.store(data, of: account, namespace: 0, timestamp: 1000, expiry: expiry)
  }

  @Test func expiredMessagesAreHiddenAndThenSwept() async throws {
    let store = try MessageStore.inMemory()
    _ = try await keep([1], in: store, expiry: 2000)
    _ = try await keep([2], in: store, expiry: 3000)
    let found = try await store.messages(
      of: account, namespace: 0, after: "", maxCount: 0, budget: 1_000_000, now: 2000)
    #expect(found.messages.map(\.data) == [[2]])
    #expect(try await store.sweep(now: 2000) == 1)
    #expect(try await store.count() == 1)
    #expect(try await store.sweep(now: 2000) == 0)
  }

  @Test func aNumberIsNeverGivenTwice() async throws {
    let store = try MessageStore.inMemory()
    let first = try await keep([1], in: store)
    let last = try await keep([2], in: store)
    _ = try await store.delete([last.hash], of: account, requestedAt: 0)
    _ = try await keep([3], in: store)
    let found = try await store.messages(
      of: account, namespace: 0, after: first.hash, maxCount: 0, budget: 1_000_000, now: 0)
    #expect(found.messages.map(\.data) == [[3]])
  }

  @Test func aFullStoreTakesNothingMore() async throws {
    let store = try MessageStore.inMemory(maxBytes: 1024 * 1024)
    func fill(_ tag: UInt8) async throws {
      for number in 0..<255 as Range<UInt8> {
        _ = try await keep([tag, number] + [UInt8](repeating: 0, count: 8000), in: store)
      }
    }
    try await store.sweep(now: 0)
    await #expect(throws: NodeFailure.full) { try await fill(1) }
    #expect(try await (50..<130).contains(store.count()))
    await #expect(throws: NodeFailure.full) {
      _ = try await store.take([
        TransferBlob.Message(
          account: account, namespace: 0,
          message: StoredMessage(
            hash: "", timestamp: 0, expiry: 2000, data: [UInt8](repeating: 9, count: 8000)))
      ])
    }
    // Everything but storing goes on.
    #expect(try await store.deleteAll(of: account, namespace: nil, requestedAt: 0).count > 50)
    try await store.sweep(now: 0)
    #expect(try await keep([99], in: store).isNew)
  }

  @Test func excessiveDebtBecomesAFullTransfer() async throws {
    let store = try MessageStore.inMemory()
    let peers: [[UInt8]] = [[1], [2]]
    func owe(_ request: [UInt8]) async throws {
      try await store.owe(request, about: account, to: peers, time: 1, ends: 9, most: 4)
    }
    for request in 1...2 { try await owe([UInt8(request)]) }
    #expect(try await store.owed() == (4, 0))
    for request in 3...5 { try await owe([UInt8(request)]) }
    #expect(try await store.owed() == (4, 2))
    #expect(try await store.nextTransfer(to: [2]) == 0)
    #expect(try await store.debts(to: [1], limit: 9).map(\.request) == [[1], [2]])
    try await store.settle(try await store.debts(to: [1], limit: 9).map(\.id))
    #expect(try await store.owed() == (2, 2))
  }

  @Test func onlyTheNewestRevocationsAreKept() async throws {
    let store = try MessageStore.inMemory()
    let tokens = (0..<60).map { [UInt8](repeating: $0, count: 36) }
    try await store.revoke(Array(tokens[..<50]), of: account, requestedAt: 1000)
    try await store.revoke([tokens[0]] + tokens[50...], of: account, requestedAt: 1000)
    #expect(try await store.revocations(of: account) == Array(tokens[11..<50]) + [tokens[0]] + tokens[50...])
    #expect(try await store.isRevoked(tokens[0], account: account))
    #expect(try await !store.isRevoked(tokens[1], account: account))
    #expect(try await store.unrevoke([tokens[0], tokens[1]], of: account) == 1)
  }

  @Test func manyShareACommitAndAllAreThereAfterwards() async throws {
    let path = freshPath()
    let key = try DatabaseKey.random()
    let store = try MessageStore(path: path, key: key)
    try await withThrowingTaskGroup { group in
      for number in 0..<500 {
        group.addTask { _ = try await keep([UInt8(number & 255), UInt8(number >> 8)], in: store) }
      }
      try await group.waitForAll()
    }
    #expect(store.commitCount < 500)
    try store.close()
    let again = try MessageStore(path: path, key: key)
    #expect(try await again.count() == 500)
    try again.close()
  }
}
