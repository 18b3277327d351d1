import Synchronization

/// The nodes with undelivered requests: later requests must wait, or they would overtake the ones they undo.
final class PendingPeers: Sendable {
  private let keys = Mutex<Set<[UInt8]>>([])

  func contains(_ key: [UInt8]) -> Bool { keys.withLock { $0.contains(key) } }
  func insert(_ all: some Sequence<[UInt8]>) { keys.withLock { $0.formUnion(all) } }
  func remove(_ key: [UInt8]) { keys.withLock { _ = $0.remove(key) } }
}
