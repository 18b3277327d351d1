import Foundation
import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionStorage
import Testing

@testable import SessionNode

/// Deleted messages stay deleted, even if requests were under way at the time.
@Suite(.timeLimit(.minutes(5))) struct DeletionTests {
  private let alice = try! Account(1)

  private func copy(_ data: [UInt8], _ namespace: Int16 = 0, timestamp: UInt64 = 1000) -> TransferBlob.Message
  {
    TransferBlob.Message(
      account: alice.bytes, namespace: namespace,
      message: StoredMessage(
        hash: alice.hash(data, in: namespace), timestamp: timestamp, expiry: wall + 60_000, data: data))
  }

  @Test func aCopyOfADeletedMessageIsNotTaken() async throws {
    let store = try MessageStore.inMemory()
    _ = try await store.delete([alice.hash([1])], of: alice.bytes, requestedAt: 5000)
    #expect(try await store.take([copy([1]), copy([2])]).map(\.message.data) == [[2]])
    // Somebody else's deletion of it says nothing.
    let mallory = try Account(66)
    _ = try await store.delete([alice.hash([3])], of: mallory.bytes, requestedAt: 5000)
    #expect(try await store.take([copy([3])]).count == 1)
    // When no copy is of use any more, that is forgotten.
    try await store.sweep(now: 5000 + 30 * 86_400_000 + 70_000)
    #expect(try await store.take([copy([1])]).count == 1)
  }

  @Test func aNamespaceThatWasClearedStaysSo() async throws {
    let store = try MessageStore.inMemory()
    _ = try await store.deleteAll(of: alice.bytes, namespace: 2, requestedAt: 5000)
    let copies = [copy([1], 2), copy([2], 3), copy([3], 2, timestamp: 5001)]
    #expect(try await store.take(copies).map(\.message.data) == [[2], [3]])
    _ = try await store.deleteAll(of: alice.bytes, namespace: nil, notAfter: 4000, requestedAt: 6000)
    #expect(try await store.take([copy([4], 5), copy([5], 5, timestamp: 4001)]).map(\.message.data) == [[5]])
  }

  @Test func messagesStoredAfterADeletionAreKept() async throws {
    let store = try MessageStore.inMemory()
    let hash = alice.hash([1])
    _ = try await store.delete([hash], of: alice.bytes, requestedAt: 5000)
    func late(_ requestedAt: UInt64?) async throws -> Int {
      _ = try await store.store(
        [1], of: alice.bytes, namespace: 0, timestamp: 1000, expiry: wall + 60_000, requestedAt: requestedAt)
      return try await store.count()
    }
    #expect(try await late(4999) == 0)
    #expect(try await late(5001) == 1)
    _ = try await store.delete([hash], of: alice.bytes, requestedAt: 6000)
    #expect(try await late(nil) == 1)
  }

  @Test func aLateMessageDoesNotReplaceANewerOneOfItsOutbox() async throws {
    let store = try MessageStore.inMemory()
    func put(_ data: [UInt8], at time: UInt64, requestedAt: UInt64?) async throws {
      _ = try await store.store(
        data, of: alice.bytes, namespace: -1, timestamp: time, expiry: wall + 60_000, requestedAt: requestedAt
      )
    }
    try await put([2], at: 2000, requestedAt: nil)
    try await put([1], at: 1000, requestedAt: 1000)
    let found = try await store.messages(
      of: alice.bytes, namespace: -1, after: "", maxCount: 0, budget: .max, now: 0)
    #expect(found.messages.map(\.data) == [[2]])
  }

  @Test func onlyTheNewestDeletionsAreRemembered() async throws {
    let store = try MessageStore.inMemory()
    func count(_ table: SQL) async throws -> Int? {
      try await store.database.read { transaction in
        try transaction.value("SELECT count(*) FROM \(table)")
      }
    }
    let contents = (0..<2100).map { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for isThere in [false, true] {
      if isThere { _ = try await store.take(contents.map { copy($0, timestamp: 9000) }) }
      for start in stride(from: 0, to: 2100, by: 300) {
        let hashes = contents[start..<start + 300].map { alice.hash($0) }
        _ = try await store.delete(hashes, of: alice.bytes, requestedAt: 5000)
      }
      #expect(try await store.take([copy([0x33, 8])]).isEmpty)
      if !isThere { try await store.sweep(now: 5000 + longestMemory) }
    }
    #expect(try await count("deletions") == 2000)
    #expect(try await count("absences") == 0)
    for number in 0..<60 as Range<UInt8> {
      _ = try await store.store(
        [number, 99], of: alice.bytes, namespace: 3, timestamp: 1000, expiry: wall + 60_000)
      _ = try await store.deleteAll(of: alice.bytes, namespace: 3, requestedAt: 1)
      _ = try await store.deleteAll(of: alice.bytes, namespace: 4, requestedAt: 1)
    }
    #expect(try await count("clearings") == 50)
    #expect(try await count("absences") == 60)
  }

  @Test(arguments: [false, true]) func aTransferThatADeletionMeetsBringsNothingBack(all: Bool) async throws {
    let playground = try await Playground(nodes: 2)
    _ = try await playground.call("store", try alice.storing([1], at: wall - 5000))
    let first = try #require(await playground.net.places[0].node)
    let second = try #require(await playground.net.places[1].node)
    // A page was read from the first node; it has not arrived when the message is deleted.
    let page = try await first.store.page(from: 0, maxBytes: 1_000_000, now: wall) { _ in true }
    #expect(page.messages.count == 1)
    let (hash, time) = (alice.hash([1]), wall)
    _ =
      try await
      (all
      ? playground.call("delete_all", try alice.signed("delete_all\(time)", ["timestamp": time]))
      : playground.call("delete", try alice.signed("delete" + hash, ["messages": [hash]])))
    #expect(try await second.store.count() == 0)
    var blob = TransferBlob()
    blob.messages = page.messages
    _ = try await first.endpoint?.request("sn.data", body: blob.written(), to: playground.records[1].peer)
    #expect(try await second.store.count() == 0)
    _ = try await playground.call("store", try alice.storing([1], at: wall - 5000))
    #expect(try await second.store.count() == 1)
    await playground.stop()
  }
}
