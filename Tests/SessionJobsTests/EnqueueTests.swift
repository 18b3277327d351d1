import SessionJobs
import SessionStorage
import Testing

@Suite struct EnqueueTests {
  private let place: JobPlace

  init() throws { place = try JobPlace() }

  private struct Large: JobKind {
    static let kind = "large"
    static let queue = JobQueue("large")
    var text: String
  }

  @Test func rolledBackJobsAreNotEnqueued() throws {
    #expect(throws: Refusal.self) {
      try place.write { transaction in
        try transaction.enqueue(Work(name: "a"), at: 1)
        throw Refusal.no
      }
    }
    #expect(try place.read { transaction in try transaction.waitingJobCount() } == 0)
  }

  @Test func payloadsAreJSONWithSortedKeys() throws {
    let id = try place.add(Single(name: "b", numbers: [1]))
    #expect(String(decoding: try place.job(id).payload, as: UTF8.self) == #"{"name":"b","numbers":[1]}"#)
  }

  @Test func aRequestSaysWhatItsKindDoesNot() throws {
    var request = JobRequest()
    (request.priority, request.notBefore, request.deadline) = (7, 5, 9)
    request.conditions = .unlocked
    let job = try place.job(try place.add(Call(name: "a"), request))
    #expect(job.priority == 7 && job.notBefore == 5 && job.deadline == 9)
    #expect(JobConditions(rawValue: job.conditions) == [.network, .unlocked])
    let other = try place.job(try place.add(Call(name: "b")))
    #expect(other.deadline == place.clock.now + 60_000 && other.notBefore == 0)
  }

  @Test func aSecondRequestMergesIntoTheFirst() throws {
    var later = JobRequest.at(5_000_000)
    later.priority = 1
    let first = try place.add(Single(name: "a", numbers: [1]), later)
    let second = try place.add(Single(name: "a", numbers: [2]), .at(4_000_000))
    let other = try place.add(Single(name: "b", numbers: [3]))
    #expect(second == first && other != first)
    let job = try place.job(first)
    #expect(job.notBefore == 4_000_000 && job.priority == 1)
    #expect(try Single.decode(job.payload, version: 1).numbers == [1, 2])
  }

  /// One that takes three numbers at most.
  private struct Basket: JobKind {
    static let kind = "basket"
    static let queue = JobQueue("baskets")
    static let closesWhenFull = true
    var numbers: [Int]
    var uniqueKey: String? { numbers.count < 3 ? "" : nil }
    func merged(with later: Basket) -> Basket { Basket(numbers: numbers + later.numbers) }
  }

  @Test func fullJobTakesNoMoreRequests() throws {
    let jobs = try (1...7).map { number in try place.add(Basket(numbers: [number])) }
    #expect(Set(jobs[0...2]).count == 1 && Set(jobs[3...5]).count == 1)
    #expect(Set(jobs).count == 3)
    let baskets = try [jobs[0], jobs[3], jobs[6]].map { id in
      try Basket.decode(place.job(id).payload, version: Basket.version).numbers
    }
    #expect(baskets == [[1, 2, 3], [4, 5, 6], [7]])
  }

  @Test func aKeyIsFreeWhenItsJobIsOver() throws {
    let first = try place.add(Single(name: "a"))
    try place.write { transaction in _ = try transaction.cancel(first, at: 1) }
    #expect(try place.add(Single(name: "a")) != first)
  }

  @Test func asManyBytesAreKeptAsMayBe() async throws {
    let most = JobPayload.maxSize - #"{"text":""}"#.utf8.count
    try place.add(Large(text: String(repeating: "x", count: most)))
    await expectFailure(.payloadTooLarge) {
      try place.add(Large(text: String(repeating: "x", count: most + 1)))
    }
  }

  @Test func aJobDependsOnAsMuchAsItMay() async throws {
    var request = JobRequest()
    request.dependencies = (0..<JobRequest.maxDependencies).map { .event("\($0)") }
    try place.add(Single(name: "a"), request)
    await expectFailure(.tooManyDependencies) { try place.add(Single(name: "a"), .after(.event("more"))) }
    request.dependencies.append(.event("more"))
    await expectFailure(.tooManyDependencies) { try place.add(Work(name: "b"), request) }
  }

  @Test func allAndAnyDoNotMix() async throws {
    let id = try place.add(Single(name: "a"), .after(.event("one")))
    await expectFailure(.conflictingDependencies) {
      try place.add(Single(name: "a"), .afterAny(.event("two"), .event("three")))
    }
    try place.add(Single(name: "a"), .after(.event("two"), .event("one")))
    let waits = try place.read { transaction in try transaction.waits(of: id).map(\.dependency) }
    #expect(waits == [.event("one"), .event("two")])
  }

  @Test func dependencyOnAMissingJobIsRejected() async throws {
    await expectFailure(.unknownDependency) {
      try place.add(Work(name: "a"), .after(.job(JobRecord.ID(rawValue: 99))))
    }
  }

  @Test func asManyWaitAsMay() async throws {
    let first = try place.add(Work(name: "first"))
    try place.write(.relaxed) { transaction in
      _ = try transaction.run(
        """
        INSERT INTO job (kind, version, payload, queue, createdAt) WITH RECURSIVE n(i) AS \
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 'work', 1, x'', 'work', 1 FROM n
        """, JobRequest.maxWaiting - 1)
    }
    await expectFailure(.tooManyWaiting) { try place.add(Work(name: "too many")) }
    try place.write { transaction in _ = try transaction.cancel(first, at: 1) }
    try place.add(Work(name: "the last"))
  }
}
