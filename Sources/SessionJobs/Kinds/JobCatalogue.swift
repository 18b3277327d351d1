/// All kinds of jobs that a runner knows.
package struct JobCatalogue: Sendable {
  let handlers: [JobHandler]
  let queues: [JobQueue]
  private let numbers: [String: Int]
  private let queueNumbers: [String: Int]
  /// True if some kinds must not run twice.
  let hasUnrepeatable: Bool

  package init(_ handlers: [JobHandler]) throws(JobError) {
    var queues: [JobQueue] = []
    var queueNumbers: [String: Int] = [:]
    var numbers: [String: Int] = [:]
    for (number, handler) in handlers.enumerated() {
      let rules = handler.rules
      guard numbers.updateValue(number, forKey: rules.kind) == nil else {
        throw JobError(.ambiguous, "two kinds of jobs are named \(rules.kind)")
      }
      if let known = queueNumbers[rules.queue.name] {
        guard queues[known] == rules.queue else {
          throw JobError(.ambiguous, "two queues with different rules are named \(rules.queue.name)")
        }
      } else {
        queueNumbers[rules.queue.name] = queues.count
        queues.append(rules.queue)
      }
    }
    self.handlers = handlers
    self.queues = queues
    self.numbers = numbers
    self.queueNumbers = queueNumbers
    hasUnrepeatable = handlers.contains { $0.rules.repetition == .once }
  }

  func number(ofKind kind: String) -> Int? { numbers[kind] }

  func number(ofQueue name: String) -> Int? { queueNumbers[name] }

  func handler(of kind: String) -> JobHandler? { numbers[kind].map { handlers[$0] } }

  /// The rules by which a schedule goes.
  var scheduleRules: Schedule.Rules {
    Schedule.Rules(
      queues: queues,
      kinds: handlers.map { handler in
        Schedule.KindRules(
          queue: queueNumbers[handler.rules.queue.name] ?? 0, concurrency: handler.rules.concurrency,
          isPreemptible: handler.rules.isPreemptible)
      })
  }
}
