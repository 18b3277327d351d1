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

  @Test func otherFailuresAreNotCounted() throws {
    for _ in 1...20 {
      expectFailure(.keyDamaged) {
        try attempts.attempt { () throws(StorageError) in throw StorageError(.keyDamaged, "damaged") }
      }
    }
    try right()
  }
}
