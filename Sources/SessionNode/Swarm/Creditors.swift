import Synchronization

/// The nodes that this one owes requests to: what comes after has to wait behind, or it would be overtaken by what it
/// undoes.
final class Creditors: Sendable {
  private let keys = Mutex<Set<[UInt8]>>([])

  func contains(_ key: [UInt8]) -> Bool { keys.withLock { $0.contains(key) } }
  func insert(_ all: some Sequence<[UInt8]>) { keys.withLock { $0.formUnion(all) } }
  func remove(_ key: [UInt8]) { keys.withLock { _ = $0.remove(key) } }
}
