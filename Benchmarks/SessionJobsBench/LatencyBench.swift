import CBench
import Measuring
import SessionJobs
import SessionStorage
import Synchronization

/// How long it takes from the end of the transaction that asks for a job, its commit included, until that begins.
enum LatencyBench {
  private static let rounds = 2000

  /// When the last job began, in seconds.
  private final class Beginning: Sendable {
    private let time = Mutex(0.0)

    var last: Double { time.withLock { $0 } }

    func note() { time.withLock { $0 = bench_seconds() } }
  }

  static func run(in folder: String) throws {
    let account = try BenchAccount(folder + "/latency.db")
    let beginning = Beginning()
    let handler = JobHandler(TrivialJob.self) { _, _ in
      beginning.note()
      return .done
    }
    let runner = try JobRunner(account.database, [handler])
    try finish { try await runner.start() }
    var times: [Double] = []
    for _ in 0..<rounds {
      let asked = try account.database.write(.relaxed) { transaction in
        try transaction.enqueue(TrivialJob(), at: SystemClock().now)
        return bench_seconds()
      }
      try finish { try await runner.waitUntilIdle() }
      times.append((beginning.last - asked) * 1e6)
    }
    times.sort()
    let (half, most) = (times[rounds / 2].rounded(), times[rounds * 99 / 100].rounded())
    print("jobs/from commit to start: p50 \(Int(half)) us, p99 \(Int(most)) us; no target")
    try finish { await runner.stop() }
    try account.database.close()
  }
}
