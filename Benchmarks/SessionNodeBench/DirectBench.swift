import CBench
import Measuring
import SessionCore
import SessionNode
import SessionNodeCore
import StorageFloor

/// Storing at one node, and retrieving from it, without onions.
enum DirectBench {
  private static let count = 1000
  private static let batch = 256
  private static let stores = "node/store, 256 under way"
  private static let retrieves = "node/retrieve one message"

  static func run(in folder: String) throws {
    guard Figure.isWanted(stores) || Figure.isWanted(retrieves) else { return }
    let node = try BenchNode(folder + "/node.db")
    let floor = try BenchNode.openFloor(folder + "/node-floor.db")
    let account = [0x05] + (try BenchClient.account().exchangeKey)
    let place = "\(node.record.address)"
    let key = node.record.key.hex
    // A core's 4,000 stores a second.
    Figure(
      name: stores, floorName: "C, verify, hash and insert 256 at once", amount: Double(count),
      goal: .atMost(250)
    ).run {
      OwnProcess.run(BenchClient.storing, place, key, "\(Self.count)")
    } floor: {
      floor_store(floor, account, Self.count, Self.batch)
    }
    // There is something to read, also where nothing was measured before.
    OwnProcess.run(BenchClient.storing, place, key, "\(count)")
    floor_store(floor, account, count, batch)
    Figure(
      name: retrieves, floorName: "C, verify and the same statements", amount: Double(count)
    ).run {
      OwnProcess.run(BenchClient.retrieving, place, key, "\(Self.count)")
    } floor: {
      floor_retrieve(floor, account, Self.count)
    }
    floor_close(floor)
    try finish { await node.node.stop() }
  }
}
