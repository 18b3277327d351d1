import SessionBase
import SessionMessaging
import Synchronization

/// Bounds the answers of a hook in each conversation, so that two programs that answer each other do not run away.
final class ReplyPace: Sendable {
  /// The most answers within a minute.
  static let limit = 10
  private static let time = Duration.seconds(60)

  private let sent = Mutex<[Conversation.ID: [ContinuousClock.Instant]]>([:])

  /// Returns how long the next answer has to wait; nil if it was counted and may go.
  func delay(in conversation: Conversation.ID, at now: ContinuousClock.Instant = .now) -> Duration? {
    sent.withLock { sent in
      sent = sent.mapValues { times in times.filter { now - $0 < Self.time } }.filter { !$0.value.isEmpty }
      let times = sent[conversation] ?? []
      guard times.count >= Self.limit else {
        sent[conversation] = times + [now]
        return nil
      }
      return Self.time - (now - times[0])
    }
  }

  /// Waits until the next answer may go; false if this program ends before.
  func wait(in conversation: Conversation.ID, _ stop: HookStop) async -> Bool {
    while let delay = delay(in: conversation) {
      await within(delay) { await stop.latch.wait() }
      guard !stop.latch.isOpen else { return false }
    }
    return true
  }
}
