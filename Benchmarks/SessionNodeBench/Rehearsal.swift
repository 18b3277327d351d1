import Measuring
import SessionCore
import SessionNode
import StorageFloor

/// Sees to it that the floor runs the statements that a node runs.
enum Rehearsal {
  static func run(in folder: String) throws {
    floor_watch_statements()
    let store = try BenchNode.store(folder + "/rehearsal.db")
    let account = [UInt8](repeating: 5, count: 33)
    try finish {
      _ = try await store.store([1], of: account, namespace: 2, timestamp: 1, expiry: 9)
      _ = try await store.messages(of: account, namespace: 2, after: "", maxCount: 0, budget: 9, now: 0)
    }
    if let statement = floor_foreign_statement(FLOOR_OF_NODES) {
      fatalError("SessionNode does not run what the floor does: \(String(cString: statement))")
    }
    try store.close()
  }
}
