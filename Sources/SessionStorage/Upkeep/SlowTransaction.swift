/// A transaction that held others up, or was held up, for longer than it should.
public struct SlowTransaction: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case read
    case write
  }

  public let kind: Kind
  /// How long it waited for its turn.
  public let waited: Duration
  /// The duration of its closure and the commit.
  public let took: Duration
  /// The number of statements: a number that grows with the rows read is a defect.
  public var statements = 0
}

/// Measures transactions.
struct Stopwatch: Sendable {
  typealias Instant = ContinuousClock.Instant

  let limit: Duration
  let now: @Sendable () -> Instant
  let tell: @Sendable (SlowTransaction) -> Void

  /// Measures work that was requested at an earlier time.
  func time<R>(
    _ kind: SlowTransaction.Kind, since requested: Instant, on statements: Statements, _ body: () throws -> R
  ) rethrows -> R {
    let began = now()
    defer {
      let ended = now()
      if requested.duration(to: ended) > limit {
        tell(
          SlowTransaction(
            kind: kind, waited: requested.duration(to: began), took: began.duration(to: ended),
            statements: statements.runCount))
      }
    }
    return try body()
  }
}
