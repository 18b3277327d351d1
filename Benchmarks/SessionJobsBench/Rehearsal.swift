import Measuring
import SessionJobs
import SessionStorage
import StorageFloor

/// Sees to it that the floor runs the statements that a runner runs.
enum Rehearsal {
  static func run(in folder: String) throws {
    floor_watch_statements()
    let account = try BenchAccount(folder + "/rehearsal.db")
    let runner = try JobRunner(account.database, [JobHandler(TrivialJob.self) { _, _ in .done }])
    try finish { try await runner.start() }
    try account.database.write { transaction in
      _ = try transaction.enqueue(TrivialJob(), at: SystemClock().now)
    }
    try finish {
      try await runner.waitUntilIdle()
      await runner.stop()
    }
    if let statement = floor_foreign_statement(FLOOR_OF_JOBS) {
      fatalError("a runner does not run what the floor does: \(String(cString: statement))")
    }
    try account.database.close()
  }
}
