import SessionJobs
import SessionStorage

/// The job of a history. It does nothing; its kinds differ only in their rules.
struct HistoryTask: Codable, Hashable, Sendable {
  var key: Int?
  var partition: Int?
}

protocol HistoryKind: JobKind {
  var task: HistoryTask { get }
  init(task: HistoryTask)
}

extension HistoryKind {
  var uniqueKey: String? { task.key.map { "\($0)" } }
  var partition: String? { task.partition.map { "\($0)" } }
}

/// The rules that a model needs to know.
struct HistoryRules {
  let queue: Int
  let concurrency: Int
  let maxFailures: Int?
  let isOnce: Bool
  let needsNetwork: Bool
  let lifetime: Int64?
  let isPreemptible: Bool
  let isSatisfied: Bool
  let spacing: Int64

  static let queues = [
    JobQueue("first", concurrency: 1, comesFirst: true), JobQueue("two", concurrency: 2),
    JobQueue("three", concurrency: 3),
  ]

  static let all = [
    HistoryRules(
      queue: 1, concurrency: 99, maxFailures: 2, isOnce: false, needsNetwork: false, lifetime: nil,
      isPreemptible: true, isSatisfied: false, spacing: 0),
    HistoryRules(
      queue: 1, concurrency: 1, maxFailures: nil, isOnce: false, needsNetwork: false, lifetime: nil,
      isPreemptible: false, isSatisfied: false, spacing: 3000),
    HistoryRules(
      queue: 2, concurrency: 2, maxFailures: 1, isOnce: true, needsNetwork: false, lifetime: 20_000,
      isPreemptible: false, isSatisfied: false, spacing: 0),
    HistoryRules(
      queue: 2, concurrency: 99, maxFailures: 10, isOnce: false, needsNetwork: true, lifetime: nil,
      isPreemptible: false, isSatisfied: true, spacing: 0),
    HistoryRules(
      queue: 0, concurrency: 99, maxFailures: 0, isOnce: false, needsNetwork: false, lifetime: nil,
      isPreemptible: false, isSatisfied: false, spacing: 0),
  ]
}

struct PlainKind: HistoryKind {
  static let kind = "plain"
  static let queue = HistoryRules.queues[1]
  static let retry = RetryPolicy(maxFailures: 2)
  static let isPreemptible = true
  var task: HistoryTask
}

struct SpacedKind: HistoryKind {
  static let kind = "spaced"
  static let queue = HistoryRules.queues[1]
  static let concurrency = 1
  static let retry = RetryPolicy.unlimited
  static let spacing = Duration.seconds(3)
  var task: HistoryTask
}

struct OnceKind: HistoryKind {
  static let kind = "once"
  static let queue = HistoryRules.queues[2]
  static let concurrency = 2
  static let retry = RetryPolicy(maxFailures: 1)
  static let repetition = JobRepetition.once
  static let lifetime: Duration? = .seconds(20)
  var task: HistoryTask
}

struct OnlineKind: HistoryKind {
  static let kind = "online"
  static let queue = HistoryRules.queues[2]
  static let conditions = JobConditions.network
  static let whileRunning = JobMergeRule.isSatisfied
  var task: HistoryTask
}

struct FirstKind: HistoryKind {
  static let kind = "first"
  static let queue = HistoryRules.queues[0]
  static let retry = RetryPolicy.never
  var task: HistoryTask
}

enum HistoryKinds {
  static let all: [any HistoryKind.Type] = [
    PlainKind.self, SpacedKind.self, OnceKind.self, OnlineKind.self, FirstKind.self,
  ]

  static func number(of name: String) -> Int { all.firstIndex { $0.kind == name } ?? 0 }

  /// Handlers in the order of the queue numbers; never called.
  static func handlers() -> [JobHandler] {
    func handler<Kind: HistoryKind>(_ kind: Kind.Type) -> JobHandler { JobHandler(kind) { _, _ in .done } }
    return [handler(FirstKind.self)] + all.dropLast().map { handler($0) }
  }
}

extension WriteTransaction {
  func enqueue(
    _ kind: Int, _ task: HistoryTask, _ request: JobRequest, at now: Int64
  ) throws -> JobRecord.ID {
    func add<Kind: HistoryKind>(
      _ kind: Kind.Type, _ transaction: borrowing WriteTransaction
    ) throws -> JobRecord.ID {
      try transaction.enqueue(Kind(task: task), request, at: now)
    }
    switch kind {
    case 0: return try add(PlainKind.self, self)
    case 1: return try add(SpacedKind.self, self)
    case 2: return try add(OnceKind.self, self)
    case 3: return try add(OnlineKind.self, self)
    default: return try add(FirstKind.self, self)
    }
  }
}
