import FoundationEssentials
import SessionBase
import Synchronization

/// The operator's program that looks at messages: some processes at a time, which are started anew when they end or do
/// not answer in time.
final class FilterProgram: Sendable {
  /// A message as the program sees it.
  struct Question: Codable, Sendable {
    let room, author: String
    /// `post` or `edit`.
    let kind: String
    let text, name: String
    let files, size: Int
  }

  private struct Answer: Codable {
    let `do`: String
    let reply: String?
  }

  private static let processes = 4
  /// What a process gets in addition for the first answer: it has to start.
  private static let startTime: Duration = .seconds(2)
  /// Questions that wait for one process; more are failures.
  private static let maxWaiting = 20

  /// A process and those who wait for it.
  private final class Slot: Sendable {
    let queue = WorkerQueue("session.community.filter")
    let waiting = Mutex(0)
    let process = Mutex<Running>(Running())
  }

  // Sendable without the compiler's check: the lock around it admits one thread at a time.
  private struct Running: @unchecked Sendable {
    var process: FilterProcess?
  }

  private let path: String
  private let time: Duration
  private let failure: MessageFilter.Verdict
  private let log: @Sendable (String) -> Void
  private let slots = (0..<processes).map { _ in Slot() }
  private let next = Mutex(0)

  /// `failure` is what holds for messages while the program does not answer.
  init(
    path: String, time: Duration, failure: MessageFilter.Verdict, log: @escaping @Sendable (String) -> Void
  ) {
    (self.path, self.time, self.failure, self.log) = (path, time, failure, log)
  }

  func judge(_ question: Question) async -> MessageFilter.Verdict {
    guard let line = try? JSONEncoder().encode(question) else { return failure }
    let slot = next.withLock { next in
      next = (next + 1) % Self.processes
      return slots[next]
    }
    let hasRoom = slot.waiting.withLock { waiting in
      guard waiting < Self.maxWaiting else { return false }
      waiting += 1
      return true
    }
    guard hasRoom else { return failure }
    defer { slot.waiting.withLock { $0 -= 1 } }
    return await slot.queue.run { [self] in ask(Array(line), slot) }
  }

  private func ask(_ line: [UInt8], _ slot: Slot) -> MessageFilter.Verdict {
    slot.process.withLock { running in
      var time = time
      if running.process?.isReady != true {
        running.process = FilterProcess(path)
        time += Self.startTime
      }
      guard let answer = running.process?.answer(line, within: time),
        let read = try? JSONDecoder().decode(Answer.self, from: Data(answer)),
        let verdict = Self.verdict(read)
      else {
        running.process = nil
        log("it gave no answer in time, or one that makes no sense")
        return failure
      }
      return verdict
    }
  }

  private static func verdict(_ answer: Answer) -> MessageFilter.Verdict? {
    guard answer.do != "accept" else { return .accept }
    return FilterRules.Outcome(rawValue: answer.do).map { outcome in
      .caught(MessageFilter.Catch(filter: .hook, outcome: outcome, reply: answer.reply))
    }
  }
}
