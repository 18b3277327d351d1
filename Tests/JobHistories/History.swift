/// Something that happens to jobs and their runner. Numbers choose among what there is, whatever they are.
public enum HistoryEvent: Hashable, Sendable {
  case add(Addition)
  /// A running job ends.
  case finish(Int, Ending)
  case cancel(Int)
  case delete(Int)
  case fulfil(Int)
  /// Time passes, and the runner does what there is to do.
  case tick(Int64)
  /// The clock is set.
  case jump(Int64)
  case network(Bool)
  case pause(Int)
  case resume(Int)
  /// Reports many changes at once to the runner.
  case everything
  /// The program ends.
  case crash
  /// The program ends while the transaction of a step is written.
  case crashInStep
  /// The transaction of a step fails.
  case failInStep

  public struct Addition: Hashable, Sendable {
    var kind = 0
    var key: Int?
    var partition: Int?
    var priority = 0
    var dependencies: [Dependency] = []
    var needsAny = false
    var delay: Int64?
    var deadline: Int64?
    var interval: Int64?
    var needsNetwork = false
  }

  public enum Dependency: Hashable, Sendable {
    case done(Int)
    case over(Int)
    case event(Int)

    /// The job, once numbers are those of jobs.
    var job: Int64? {
      switch self {
      case .done(let id), .over(let id): Int64(id)
      case .event: nil
      }
    }
  }

  public enum Ending: Hashable, Sendable {
    case done
    case written
    case writingFails
    case again(Int64)
    case failed
    case failedForGood
    case failedLong(Int64)
    case deferred(Int64, on: Dependency?)
    case unreadable
    case abandoned
  }
}

/// A sequence of numbers from a seed, the same everywhere (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var number = state
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    return number ^ (number >> 31)
  }
}

extension HistoryEvent {
  /// A history, as the seed has it.
  public static func history(seed: UInt64) -> [HistoryEvent] {
    var random = SeededRandom(seed: seed)
    let length = Int.random(in: 5...40, using: &random)
    return (0..<length).map { _ in one(&random) }
  }

  private static func one(_ random: inout SeededRandom) -> HistoryEvent {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func isSo(_ oneIn: Int) -> Bool { number(1...oneIn) == 1 }
    switch number(1...100) {
    case ...30:
      var addition = Addition()
      addition.kind = isSo(12) ? 4 : number(0...3)
      addition.key = isSo(3) ? number(0...1) : nil
      addition.partition = isSo(3) ? number(0...1) : nil
      addition.priority = isSo(4) ? number(-1...2) : 0
      if isSo(3) {
        addition.dependencies = (0..<number(1...3)).map { _ in dependency(&random) }
        addition.needsAny = isSo(2)
      }
      addition.delay = isSo(6) ? Int64(number(0...5000)) : nil
      addition.deadline = isSo(8) ? Int64(number(0...8000)) : nil
      addition.interval = addition.key != nil && isSo(3) ? Int64(number(500...9000)) : nil
      addition.needsNetwork = isSo(12)
      return .add(addition)
    case ...55: return .finish(number(0...9), ending(&random))
    case ...82: return .tick(isSo(2) ? 0 : Int64(number(1...3000)))
    case ...86: return .cancel(number(0...9))
    case 87: return .delete(number(0...9))
    case ...89: return .fulfil(number(0...1))
    case ...91: return .network(isSo(2))
    case 92: return .pause(number(0...2))
    case 93: return .resume(number(0...2))
    case 94: return .everything
    case ...96: return .crash
    case 97: return .crashInStep
    case 98: return .failInStep
    default: return .jump(Int64(number(-20_000...20_000)))
    }
  }

  private static func dependency(_ random: inout SeededRandom) -> Dependency {
    switch Int.random(in: 1...5, using: &random) {
    case 1: .event(Int.random(in: 0...1, using: &random))
    case 2: .over(Int.random(in: 0...9, using: &random))
    default: .done(Int.random(in: 0...9, using: &random))
    }
  }

  private static func ending(_ random: inout SeededRandom) -> Ending {
    switch Int.random(in: 1...14, using: &random) {
    case ...4: .done
    case 5: .written
    case 6: .writingFails
    case 7: .again(Int64.random(in: 0...4000, using: &random))
    case ...10: .failed
    case 11: .failedForGood
    case 12: .failedLong(Int64.random(in: 0...9000, using: &random))
    case 13:
      .deferred(
        Int64.random(in: 0...1500, using: &random),
        on: Bool.random(using: &random) ? dependency(&random) : nil)
    default: Bool.random(using: &random) ? .unreadable : .abandoned
    }
  }
}
