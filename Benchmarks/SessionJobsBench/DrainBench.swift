import Measuring
import SessionJobs
import SessionStorage
import StorageFloor

/// Asking for many jobs with nothing to do, and doing them.
final class DrainBench {
  private static let count = 10_000
  /// How many jobs the floor begins in a transaction: as many as a runner does at most.
  private static let batch = 64

  private let account: BenchAccount
  private let runner: JobRunner
  private let floorPath: String

  init(in folder: String) throws {
    account = try BenchAccount(folder + "/ours.db")
    runner = try JobRunner(account.database, [JobHandler(TrivialJob.self) { _, _ in .done }])
    floorPath = folder + "/floor.db"
    try BenchAccount.open(floorPath).close()
    try finish { [runner] in try await runner.start() }
  }

  func run() throws {
    let floor = BenchAccount.openFloor(floorPath)
    for isElapsed in [false, true] {
      Figure(
        name: "jobs/add and drain \(Self.count) jobs\(isElapsed ? ", as time passes" : "")",
        floorName: "C, the bare row updates", amount: Double(Self.count), goal: .timesFloor(2),
        measure: isElapsed ? .rate : .microseconds, isElapsed: isElapsed
      ).run {
        try self.add()
        try finish { [runner = self.runner] in try await runner.waitUntilIdle() }
      } floor: {
        floor_drain_jobs(floor, floor_add_jobs(floor, Self.count), Self.count, Self.batch)
      }
    }
    floor_close(floor)
    try checkThatAllIsDone()
    try finish { [runner] in await runner.stop() }
    try account.database.close()
  }

  private func add() throws {
    let now = SystemClock().now
    try account.database.write(.relaxed) { transaction in
      for _ in 0..<Self.count { try transaction.enqueue(TrivialJob(), at: now) }
    }
  }

  private func checkThatAllIsDone() throws {
    let counts = try account.database.read { transaction in try transaction.jobCounts() }
    precondition(counts.keys.allSatisfy { $0 == .done }, "some jobs were not done")
  }
}
