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
        // No community is kept that we are not in.
        return try transaction.collectGarbage(
          GarbageRules(at: now.stored, own: context.own.address, keptServer: ""))
      }
      let gone = counts.filter { $0.value > 0 }.map { "\($0.value) \($0.key.rawValue)" }.sorted()
      try await files.sweepFiles()
      if !gone.isEmpty { context.environment.log("forgot " + gone.joined(separator: ", ")) }
      return .done
    }
  }
}
