import Foundation
import SessionCore
import SessionNodeCore
import SessionStorage
import Testing

@testable import SessionNode

/// Accounts cost nothing, so a client may use any number of them to fill a node.
@Suite(.serialized) struct FloodTests {
  private enum Flood: CaseIterable, Sendable {
    case deletions
    case clearings
    case revocations

    /// One request of a new account.
    func call(_ number: Int, of store: MessageStore) async throws {
      let account = account(number)
      switch self {
      case .deletions:
        let hashes = (0..<20).map {
          StoredMessage.hash(of: [UInt8($0)], account: account, namespace: Int16(number & 0xFFF))
        }
        _ = try await store.delete(hashes, of: account, requestedAt: 1000)
      case .clearings:
        for namespace in 0..<20 {
          _ = try await store.deleteAll(of: account, namespace: Int16(namespace), requestedAt: 1000)
        }
      case .revocations:
        try await store.revoke((0..<20).map { token(number * 20 + $0) }, of: account, requestedAt: 1000)
      }
    }

    private func account(_ number: Int) -> [UInt8] {
      [0x03] + (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
    }

    private func token(_ number: Int) -> [UInt8] {
      (0..<36).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
    }
  }

  private func withStore(_ maxBytes: Int, _ body: (MessageStore, String) async throws -> Void) async throws {
    let folder = freshPath()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/messages.db"
    let store = try MessageStore(
      path: path, key: DatabaseKey(SecretBytes.random(count: 32)), maxBytes: maxBytes)
    try await body(store, path)
    try store.close()
  }

  private func size(of path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }

  @Test(arguments: Flood.allCases)
  private func floodsDoNotFillTheDisk(flood: Flood) async throws {
    try await withStore(1024 * 1024) { store, path in
      try await withThrowingTaskGroup { group in
        for start in 0..<10 {
          group.addTask {
            for number in 0..<30 { try await flood.call(start * 30 + number, of: store) }
          }
        }
        try await group.waitForAll()
      }
      try await store.sweep(now: 2000)
      #expect(try size(of: path) < 640 * 1024)
    }
  }

  /// The time that all but one in twenty of some honest requests stay below.
  private func p95(of store: MessageStore, from first: Int) async throws -> Duration {
    let clock = ContinuousClock()
    let account = [0x05] + [UInt8](repeating: 7, count: 32)
    var times: [Duration] = []
    for number in first..<(first + 40) {
      let start = clock.now
      let data = [UInt8(number & 0xFF), UInt8(number >> 8)]
      let stored = try await store.store(data, of: account, namespace: 0, timestamp: 1000, expiry: 100_000)
      let found = try await store.messages(
        of: account, namespace: 0, after: "", maxCount: 0, budget: 1_000_000, now: 2000)
      try #require(found.messages.map(\.data) == [data])
      let gone = try await store.delete([stored.hash], of: account, requestedAt: 1000)
      try #require(gone.count == 1)
      times.append(clock.now - start)
    }
    return times.sorted()[38]
  }

  @Test(arguments: Flood.allCases)
  private func honestClientsAreServedDuringFloods(flood: Flood) async throws {
    try await withStore(4 * 1024 * 1024) { store, _ in
      _ = try await p95(of: store, from: 1000)
      let before = try await p95(of: store, from: 0)
      let flooding = Task {
        for number in 0... {
          if Task.isCancelled { return }
          try await flood.call(number, of: store)
        }
      }
      let during = try await p95(of: store, from: 100)
      flooding.cancel()
      try await flooding.value
      // A loaded machine may stall for a moment at any time.
      #expect(during <= before * 2 + .milliseconds(50), "\(before) before, \(during) during")
    }
  }

  @Test func aFullStoreStillDeletes() async throws {
    try await withStore(1024 * 1024) { store, _ in
      let account = [0x05] + [UInt8](repeating: 7, count: 32)
      func store1(_ number: UInt8) async throws -> MessageStore.Stored {
        try await store.store(
          [number] + [UInt8](repeating: 0, count: 8000), of: account, namespace: 0, timestamp: 1000,
          expiry: 100_000)
      }
      let early = try await (0..<30 as Range<UInt8>).asyncMap { try await store1($0).hash }
      await #expect(throws: NodeFailure.full) {
        for number in 30..<255 as Range<UInt8> { _ = try await store1(number) }
      }
      for flood in Flood.allCases {
        for number in 0..<40 { try await flood.call(number, of: store) }
      }
      let gone = try await store.delete(early, of: account, requestedAt: 3000)
      #expect(gone.map(\.hash) == early.sorted())
      for flood in Flood.allCases {
        for number in 500..<540 { try await flood.call(number, of: store) }
      }
      // The flood does not make the store forget what was deleted: a late copy does not bring it back.
      let data = [0] + [UInt8](repeating: 0, count: 8000)
      let message = StoredMessage(hash: early[0], timestamp: 1000, expiry: 100_000, data: data)
      try await store.sweep(now: 4000)
      let copy = TransferBlob.Message(account: account, namespace: 0, message: message)
      #expect(try await store.take([copy]).isEmpty)
    }
  }

  @Test func revocationsEndWhenTheirAccountHasNoMessages() async throws {
    let store = try MessageStore.inMemory()
    let account = [0x03] + [UInt8](repeating: 7, count: 32)
    let month: UInt64 = 31 * 86_400_000
    try await store.revoke([[1]], of: account, requestedAt: 1000)
    _ = try await store.store([1], of: account, namespace: 11, timestamp: 1000, expiry: 2 * month)
    try await store.sweep(now: month)
    #expect(try await store.isRevoked([1], account: account))
    try await store.sweep(now: 2 * month)
    #expect(try await !store.isRevoked([1], account: account))
  }

  @Test func floodsDoNotMakeAGroupForgetItsRevocations() async throws {
    let store = try MessageStore.inMemory(maxBytes: 1024 * 1024)
    let account = [0x03] + [UInt8](repeating: 7, count: 32)
    try await store.revoke([[1]], of: account, requestedAt: 1000)
    _ = try await store.store([1], of: account, namespace: 11, timestamp: 1000, expiry: 100_000)
    for number in 0..<60 { try await Flood.revocations.call(number, of: store) }
    #expect(try await store.isRevoked([1], account: account))
  }
}

extension Range<UInt8> {
  fileprivate func asyncMap<R>(_ body: (UInt8) async throws -> R) async rethrows -> [R] {
    var results: [R] = []
    for number in self { results.append(try await body(number)) }
    return results
  }
}
