import SessionBase
import SessionNetworking
import Synchronization

/// Polls our inbox and outbox on a community server, with the first request of each poll of its rooms.
final class LetterFeed: Sendable {
  /// A box between polls.
  fileprivate struct Pace {
    var failures = 0
    var notBefore: Int64 = 0
    /// The number of messages to ask for. It is smaller after a reply that was too large to reach us.
    var limit = CommunityLetterPage.maxSize
  }

  private struct State {
    var paces: [LetterBox: Pace] = [:]
    /// True once what an older version of the program left was tried.
    var hasTriedBadItems = false
  }

  private let inbox: LetterInbox
  private let state = Mutex(State())

  init(_ inbox: LetterInbox) { self.inbox = inbox }

  private var now: Int64 { inbox.context.jobTime }

  /// The boxes whose turn it is.
  func spans() async throws -> [LetterSpan] {
    let spans = try await inbox.spans()
    guard !spans.isEmpty else { return [] }
    if state.withLock({ !$0.hasTriedBadItems }) {
      for box in LetterBox.allCases { try await inbox.takeBadItems(of: box) }
      state.withLock { $0.hasTriedBadItems = true }
    }
    let now = now
    return state.withLock { state in
      spans.compactMap { span in
        let pace = state.paces[span.box] ?? Pace()
        guard pace.notBefore <= now else { return nil }
        var span = span
        span.limit = pace.limit
        return span
      }
    }
  }

  /// Clears the delays after failures.
  func resetBackoff() {
    state.withLock { state in
      for box in state.paces.keys { state.paces[box]?.notBefore = 0 }
    }
  }

  /// Takes note that the reply about this box alone did not reach us, while the server answers.
  func noteTooLarge(_ span: LetterSpan) {
    let now = now
    state.withLock { state in
      var pace = state.paces[span.box] ?? Pace()
      if span.limit == 1 { pace.noteFailure(at: now) }
      pace.limit = max(1, span.limit / 2)
      state.paces[span.box] = pace
    }
  }

  /// Takes the replies to spans. Returns true if there may be more. A reply that cannot be used does not fail the poll; our
  /// own failure to store does.
  func take(_ replies: [(LetterSpan, CommunityReply)]) async throws -> Bool {
    var (hasMore, failure): (Bool, (any Error)?) = (false, nil)
    for (span, reply) in replies {
      guard let page = try? span.call.answer(from: reply) else {
        setPace(of: span.box, hasFailed: true)
        continue
      }
      setPace(of: span.box, hasFailed: false)
      do {
        let hasMoved = try await inbox.take(page, of: span)
        if hasMoved, page.isFull(limit: span.limit) { hasMore = true }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return hasMore
  }

  private func setPace(of box: LetterBox, hasFailed: Bool) {
    let now = now
    state.withLock { state in
      var pace = state.paces[box] ?? Pace()
      if hasFailed { pace.noteFailure(at: now) } else { pace.noteSuccess() }
      state.paces[box] = pace
    }
  }
}

extension LetterFeed.Pace {
  fileprivate mutating func noteSuccess() {
    (failures, notBefore) = (0, 0)
    limit = min(limit * 2, CommunityLetterPage.maxSize)
  }

  fileprivate mutating func noteFailure(at now: Int64) {
    failures += 1
    notBefore = now + RoomPace.delay(after: failures)
  }
}
