import Glibc
import SessionBase
import Synchronization
import Testing

@testable import SessionStorage

@Suite struct PassphraseAttemptsTests {
  /// A clock that stands still until it is moved.
  private final class Hand: Sendable {
    private let instant = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.withLock { $0 } }
    func move(_ duration: Duration) { instant.withLock { $0 += duration } }
  }

  /// How many attempts ran, also at a time.
  private final class Ran: Sendable {
    private let counts = Mutex((now: 0, most: 0, all: 0))

    var most: Int { counts.withLock { $0.most } }
    var all: Int { counts.withLock { $0.all } }

    func begin() {
      counts.withLock { counts in
        (counts.now, counts.all) = (counts.now + 1, counts.all + 1)
        counts.most = max(counts.most, counts.now)
      }
    }

    func end() { counts.withLock { $0.now -= 1 } }
  }

  private let hand = Hand()
  private let attempts: PassphraseAttempts

  init() {
    attempts = PassphraseAttempts(now: { [hand] in hand.now })
  }

  private func wrong() -> StorageError.Code? {
    do {
      try attempts.attempt { () throws(StorageError) in throw StorageError(.wrongPassphrase, "wrong") }
      return nil
    } catch {
      return error.code
    }
  }

  private func right() throws { try attempts.attempt { () throws(StorageError) in } }

  @Test func oneAccountHasOneCount() {
    let path = "/\(UInt64.random(in: 0...UInt64.max))"
    #expect(PassphraseAttempts.of(path) === PassphraseAttempts.of(path))
    #expect(PassphraseAttempts.of(path) !== PassphraseAttempts.of(path + "x"))
  }

  @Test func aFewWrongOnesAreFree() throws {
    for _ in 1..<PassphraseAttempts.freeCount { #expect(wrong() == .wrongPassphrase) }
    try right()
  }

  @Test func theDelayDoublesUpToAMinute() {
    for _ in 1...PassphraseAttempts.freeCount { #expect(wrong() == .wrongPassphrase) }
    for seconds in [2, 4, 8, 16, 32, 60, 60] {
      hand.move(.seconds(seconds) - .milliseconds(1))
      #expect(wrong() == .tooManyAttempts, "before \(seconds) seconds are over")
      hand.move(.milliseconds(1))
      #expect(wrong() == .wrongPassphrase, "after \(seconds) seconds")
    }
  }

  @Test func theRightOneForgivesButWaitsItsTurn() throws {
    for _ in 1...PassphraseAttempts.freeCount { _ = wrong() }
    expectFailure(.tooManyAttempts) { try right() }
    hand.move(.seconds(2))
    try right()
    for _ in 1..<PassphraseAttempts.freeCount { #expect(wrong() == .wrongPassphrase) }
    try right()
  }

  @Test func attemptsAtTheSameTimeWaitForThoseBeforeThem() async {
    let ran = Ran()
    let codes = await withTaskGroup(of: StorageError.Code?.self) { group in
      for number in 0..<4 * PassphraseAttempts.freeCount {
        group.addTask { [attempts] in
          await WorkerQueue("attempt.\(number)").run { () -> StorageError.Code? in
            do throws(StorageError) {
              try attempts.attempt { () throws(StorageError) in
                ran.begin()
                // Others come in here, unless they wait.
                for _ in 0..<2000 { sched_yield() }
                ran.end()
                throw StorageError(.wrongPassphrase, "wrong")
              }
              return nil
            } catch { return error.code }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ran.most == 1)
    #expect(ran.all == PassphraseAttempts.freeCount)
    #expect(codes.count { $0 == .wrongPassphrase } == PassphraseAttempts.freeCount)
    #expect(codes.count { $0 == .tooManyAttempts } == 3 * PassphraseAttempts.freeCount)
  }

  @Test func otherFailuresAreNotCounted() throws {
    for _ in 1...20 {
      expectFailure(.keyDamaged) {
        try attempts.attempt { () throws(StorageError) in throw StorageError(.keyDamaged, "damaged") }
      }
    }
    try right()
  }
}
