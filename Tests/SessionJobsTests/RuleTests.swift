import Foundation
import SessionBase
import SessionStorage
import Testing

@testable import SessionCore
@testable import SessionJobs

/// The rules by which failures are judged, and delays are measured.
@Suite struct RuleTests {
  @Test func delaysDoubleUpToTheirLimit() {
    let delays = (0...12).map { RetryPolicy.delay(after: $0, chance: 0) }
    #expect(delays.prefix(10) == [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000])
    #expect(delays.dropFirst(10).allSatisfy { $0 == 150_000 })
    #expect(RetryPolicy.delay(after: .max, chance: 0) == 150_000)
    #expect(RetryPolicy.delay(after: 0, chance: 1) == 200)
    #expect(RetryPolicy.delay(after: 10, chance: 0.5) == 135_000)
  }

  @Test func failuresAreCounted() {
    #expect(!RetryPolicy(maxFailures: 1).isExhausted(after: 0))
    #expect(RetryPolicy(maxFailures: 1).isExhausted(after: 1))
    #expect(RetryPolicy.never.isExhausted(after: 0))
    #expect(!RetryPolicy.unlimited.isExhausted(after: .max - 1))
  }

  @Test func errorsSayWhetherTheyAreWorthTryingAgain() {
    #expect(JobVerdict(Refusal.no) == .retry())
    #expect(JobVerdict(JobFailure(.retry(after: .seconds(9)), "busy")) == .retry(after: .seconds(9)))
    #expect(JobVerdict(StorageError(.busy, "")) == .retry())
    #expect(JobVerdict(StorageError(.value, "")) == .permanent)
    #expect(JobVerdict(JobError(.payloadTooLarge, "")) == .permanent)
    #expect(JobVerdict(SessionError(.requestTimeout, "")) == .retry())
    #expect(JobVerdict(SessionError(.storageUnauthorized, "")) == .permanent)
    #expect(JobVerdict(SessionError(.decrypt, "")) == .permanent)
    #expect(JobVerdict(SessionError(.noMemory, "")) == .retry())
    #expect(
      JobVerdict(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))) == .permanent)
  }

  @Test func everyFailureHasItsName() {
    #expect(Set(JobError.Code.all.map(\.rawValue)).count == JobError.Code.all.count)
    #expect("\(JobError(.unreadable, "it is garbage"))" == "it is garbage")
  }

  @Test func conditionsAreNamed() {
    #expect("\(JobConditions([.network, .unlocked, .accountActive]))" == "network, unlocked, account active")
    #expect("\(JobConditions(rawValue: 1 << JobConditions.firstFree))" == "condition 8")
  }

  @Test func longTimesDoNotOverflow() {
    #expect(Duration.seconds(Int64.max).milliseconds == .max)
    #expect(Int64.max.later(by: 1) == .max)
    #expect(Int64.min.later(by: -1) == .min)
    #expect(Duration.milliseconds(1500).milliseconds == 1500)
  }

  @Test func theClockOfTheSystemWakesInTime() async {
    let clock = SystemClock()
    let begin = clock.now
    await clock.sleep(until: begin + 20)
    #expect(clock.now >= begin + 20)
    await clock.sleep(until: begin)
    let sleeper = Task { await clock.sleep(until: .max) }
    sleeper.cancel()
    await sleeper.value
  }

  @Test func chanceIsFromZeroToOne() {
    let numbers = (0..<100).map { _ in JobEnvironment.random() }
    #expect(numbers.allSatisfy { $0 >= 0 && $0 < 1 } && Set(numbers).count > 90)
  }
}
