import Synchronization

/// Counts wrong passphrases, and refuses further ones for a while after too many.
///
/// There is one for each account, shared by all attempts in this process.
public final class PassphraseAttempts: Sendable {
  /// The number of consecutive wrong passphrases without a delay.
  public static let freeCount = 5
  /// The delay doubles with each one from then on, up to this.
  public static let longestDelay = Duration.seconds(60)

  private struct State {
    var wrong = 0
    var refusedUntil: ContinuousClock.Instant?
  }

  /// Those of the accounts in this process, by the path of the key.
  private static let shared = Mutex<[String: PassphraseAttempts]>([:])

  /// Those of an account, however often its key is opened in this process.
  public static func of(_ path: String) -> PassphraseAttempts {
    shared.withLock { shared in
      let known = shared[path] ?? PassphraseAttempts()
      shared[path] = known
      return known
    }
  }

  private let state = Mutex(State())
  /// Held by the attempt that runs.
  private let turn = Mutex(())
  private let now: @Sendable () -> ContinuousClock.Instant

  public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
    self.now = now
  }

  /// Runs `body` unless it is too early for that, and counts `wrongPassphrase`. Anything else but success neither counts
  /// nor forgives. An attempt waits, on its thread, for those before it, which have to count first.
  func attempt<R: Sendable>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    try turn.withLock { _ throws(StorageError) in
      try check()
      do throws(StorageError) {
        let result = try body()
        state.withLock { $0 = State() }
        return result
      } catch {
        if error.code == .wrongPassphrase { count() }
        throw error
      }
    }
  }

  private func check() throws(StorageError) {
    guard let until = state.withLock({ $0.refusedUntil }) else { return }
    let left = now().duration(to: until)
    guard left > .zero else { return }
    let seconds = left.components.seconds + (left.components.attoseconds > 0 ? 1 : 0)
    throw StorageError(
      .tooManyAttempts, "too many wrong passphrases: try again in \(seconds) seconds")
  }

  private func count() {
    let now = now()
    state.withLock { state in
      state.wrong += 1
      let beyond = state.wrong - Self.freeCount
      guard beyond >= 0 else { return }
      let delay = min(.seconds(1 << min(beyond + 1, 10)), Self.longestDelay)
      state.refusedUntil = now.advanced(by: delay)
    }
  }
}
