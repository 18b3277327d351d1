import SessionCore
import SessionJobs
import SessionStorage

/// Forgets what nothing needs any more, about once a day.
struct Upkeep: JobKind {
  static let kind = "upkeep"
  static let queue = SwarmDeletion.queue
  static let interval = Duration.seconds(23 * 3600)
  /// How long jobs that failed can be looked at, in milliseconds.
  static let failureMemory: Int64 = 7 * 24 * 3_600_000
  /// How many of them go at a time.
  static let pieceSize = 1000

  var uniqueKey: String? { "" }
}

extension Engine {
  func makeUpkeep() -> JobHandler {
    JobHandler(Upkeep.self) { [self] _, context in
      let now = try time()
      let counts = try await context.write { [self] transaction in
        let old = jobTime - Upkeep.failureMemory
        for job in try transaction.jobs(.failed, limit: Upkeep.pieceSize) where job.finishedAt ?? .max < old {
          try transaction.deleteJob(job.id)
        }
        try transaction.trimSendKeys(at: jobTime)
        // No community is kept that we are not in.
        return try transaction.collectGarbage(
          GarbageRules(at: now.stored, own: own.address, keptServer: ""))
      }
      let gone = counts.filter { $0.value > 0 }.map { "\($0.value) \($0.key.rawValue)" }.sorted()
      try await sweepFiles()
      if !gone.isEmpty { dependencies.log("forgot " + gone.joined(separator: ", ")) }
      return .done
    }
  }
}
