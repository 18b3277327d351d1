import SessionBase
import SessionTerminal

/// Carries out the changes of a queue: those of one lane in their order, and lanes beside each other, so that what needs the
/// network for long, such as an invitation, keeps no message waiting.
struct EffectLanes: Sendable {
  /// What has an order among itself.
  enum Lane: Hashable, Sendable {
    /// Messages of a conversation, and its settings here.
    case talk(String)
    case typing(String)
    /// Reactions, deletions and the like, which name their message alone.
    case messages
    case people(String)
    case file(Int64)
    case beginning
    case settings
  }

  private let queue: EffectQueue

  init(_ queue: EffectQueue) { self.queue = queue }

  /// Works until the queue has ended and all of it was done, or the task is cancelled. The first error ends it.
  func run(_ carryOut: @escaping @Sendable (EffectQueue.Entry) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Step.self) { [queue] working in
      var last: [Lane: Latch] = [:]
      working.addTask { await queue.next().map { .begin($0) } ?? .end }
      var failure: (any Error)?
      while let step = await working.nextResult() {
        switch step {
        case .success(.begin(let change)) where failure != nil: queue.putBack(change)
        case .success(.begin(let change)):
          let lane = Lane(of: change.effect)
          let (before, isDone) = (last[lane], Latch())
          last = last.filter { !$0.value.isOpen }
          last[lane] = isDone
          working.addTask {
            defer { isDone.open() }
            await before?.wait()
            try await carryOut(change)
            return .end
          }
          working.addTask { await queue.next().map { .begin($0) } ?? .end }
        case .success(.end): break
        case .failure(let error):
          failure = failure ?? error
          working.cancelAll()
        }
      }
      if let failure { throw failure }
    }
  }

  private enum Step: Sendable {
    case begin(EffectQueue.Entry)
    /// Something was done, or nothing more comes.
    case end
  }
}

extension EffectLanes.Lane {
  init(of effect: UIEffect) {
    switch effect {
    case .send(let id, _, _, _), .schedule(let id, _, _, _, _), .edit(let id, _, _), .markRead(let id, _),
      .markUnread(let id), .draft(let id, _), .pin(let id, _), .hide(let id, _), .mute(let id, _),
      .timer(let id, _), .block(let id, _), .answer(let id, _), .leave(let id):
      // What was sent before a conversation ends is sent first.
      self = .talk(id)
    case .typing(let id, _): self = .typing(id)
    case .react, .delete, .resend, .cancelScheduled, .sendScheduled: self = .messages
    case .rename(let id, _), .invite(let id, _), .promote(let id, _), .remove(let id, _),
      .verify(let id, _):
      self = .people(id)
    case .fetch(let file), .save(let file, _): self = .file(file)
    case .begin: self = .beginning
    case .set: self = .settings
    case .load, .jump, .search, .people, .settings, .network, .scheduled, .media, .safetyNumber, .redraw,
      .suspend, .editText, .leaveProgram:
      // None of them is a change.
      self = .settings
    }
  }
}
