import SessionBase
import SessionCore
import SessionJobs
import SessionStorage

/// Deletes data that is no longer needed, about once a day.
struct Upkeep: JobKind {
  static let kind = "upkeep"
  static let queue = JobQueue("upkeep", concurrency: 2)
  static let interval = Duration.seconds(23 * 3600)
  /// How long failed jobs are kept for inspection, in milliseconds.
  static let failureMemory: Int64 = 7 * 24 * 3_600_000
  /// The number of failed jobs deleted in one transaction.
  static let pieceSize = 1000

  var uniqueKey: String? { "" }
}

extension Upkeep {
  static func handler(_ context: AccountContext, _ files: Files) -> JobHandler {
    JobHandler(Upkeep.self) { _, job in
      let now = try context.time()
      let counts = try await job.write { transaction in
        let old = context.jobTime - Upkeep.failureMemory
        for job in try transaction.jobs(.failed, limit: Upkeep.pieceSize) where job.finishedAt ?? .max < old {
          try transaction.deleteJob(job.id)
        }
        try transaction.trimSendKeys(at: context.jobTime)
        // We keep no community that we have not joined.
        var rules = GarbageRules(at: now.stored, own: context.own.address, keptServer: "")
        rules.events = context.environment.retention()
        return try transaction.collectGarbage(rules)
      }
      try await files.sweepFiles()
      let count = counts.values.reduce(0, +)
      if count > 0 { context.environment.log(.info, .account, "collected", .count(count)) }
      return .done
    }
  }
}
