import SessionBase
import SessionNetworking
import Synchronization

/// Polls our inbox and outbox on a community server, with the first request of each poll of its rooms.
final class LetterFeed: Sendable {
  /// A box between polls.
  private struct Pace {
    var failures = 0
    var notBefore: Int64 = 0
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
    return state.withLock { state in spans.filter { state.paces[$0.box]?.notBefore ?? 0 <= now } }
  }

  /// Takes the replies, one to each span. Returns true if there may be more. A reply that cannot be used does not fail the
  /// poll; our own failure to store does.
  func take(_ replies: some Sequence<CommunityReply>, to spans: [LetterSpan]) async throws -> Bool {
    var (hasMore, failure): (Bool, (any Error)?) = (false, nil)
    for (span, reply) in zip(spans, replies) {
      guard let page = try? span.call.answer(from: reply) else {
        setPace(of: span.box, hasFailed: true)
        continue
      }
      setPace(of: span.box, hasFailed: false)
      do {
        let hasMoved = try await inbox.take(page, of: span)
        if hasMoved, page.isFull { hasMore = true }
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
      guard hasFailed else {
        state.paces[box] = nil
        return
      }
      var pace = state.paces[box] ?? Pace()
      pace.failures += 1
      pace.notBefore = now + RoomPace.delay(after: pace.failures)
      state.paces[box] = pace
    }
  }
}
