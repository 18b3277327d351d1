import JobHistories
import SessionJobs
import SessionStorage
import Testing

/// Ten thousand jobs of five kinds, which fail at random, all come to an end.
@Suite struct DrainTests {
  @Test func tenThousandJobsDrain() async throws {
    let place = try JobPlace()
    let seed: UInt64 = 20_260_101
    let count = 10_000
    try place.write(.relaxed) { transaction in
      var random = SeededRandom(seed: seed)
      var before: JobRecord.ID?
      for number in 0..<count {
        let request =
          Int.random(in: 0..<10, using: &random) == 0 ? before.map { JobRequest.after(.end($0)) } : nil
        let name = "\(number)"
        switch Int.random(in: 0..<5, using: &random) {
        case 0: before = try transaction.enqueue(Work(name: name), request ?? JobRequest(), at: 1)
        case 1: before = try transaction.enqueue(Single(name: name), request ?? JobRequest(), at: 1)
        case 2: before = try transaction.enqueue(Shot(name: name), request ?? JobRequest(), at: 1)
        case 3: before = try transaction.enqueue(Talk(name: name), request ?? JobRequest(), at: 1)
        default: before = try transaction.enqueue(Eternal(name: name), request ?? JobRequest(), at: 1)
        }
      }
    }
    /// The same job fails the same way in every run.
    @Sendable func attempt(_ name: String, _ context: JobContext) throws -> JobResult {
      var random = SeededRandom(seed: seed ^ UInt64(context.id.rawValue) << 20 ^ UInt64(context.attempt))
      switch Int.random(in: 0..<20, using: &random) {
      case ...3: throw Refusal.no
      case 4: throw JobFailure(.permanent, "never")
      case 5: throw JobDeferral(for: .milliseconds(10))
      default: return .done { transaction in _ = try transaction.appendEvent("done", at: 1) }
      }
    }
    let runner = try await place.runner(
      JobHandler(Work.self) { try attempt($0.name, $1) },
      JobHandler(Single.self) { try attempt($0.name, $1) },
      JobHandler(Shot.self) { try attempt($0.name, $1) }, JobHandler(Talk.self) { try attempt($0.name, $1) },
      JobHandler(Eternal.self) { try attempt($0.name, $1) })
    var counts: [JobRecord.State: Int] = [:]
    for _ in 0..<1000 {
      try await runner.waitUntilIdle()
      counts = try place.read { transaction in try transaction.jobCounts() }
      guard counts[.waiting] != nil else { break }
      place.clock.advance(by: 1000)
    }
    #expect(Set(counts.keys) == [.done, .failed], "seed \(seed)")
    #expect(counts.values.reduce(0, +) == count)
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: count + 1).count
    }
    #expect(events == counts[.done], "what is done is written once")
    let failed = try place.read { transaction in try transaction.jobs(.failed, limit: count) }
    #expect(failed.allSatisfy { $0.failure?.isEmpty == false })
    await runner.stop()
  }

  private struct Talk: JobKind {
    static let kind = "talk"
    static let queue = JobQueue("talk")
    static let concurrency = 3
    var name: String
    var partition: String? { "\(name.utf8.last ?? 0)" }
  }

  private struct Eternal: JobKind {
    static let kind = "eternal"
    static let queue = JobQueue("talk")
    static let retry = RetryPolicy.unlimited
    var name: String
  }
}
