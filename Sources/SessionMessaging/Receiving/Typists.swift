import SessionCore
import Synchronization

/// People who are typing; in memory only.
final class Typists: Sendable {
  /// How long a typing indicator is shown without another message, in milliseconds.
  static let lifetime: Int64 = 15_000

  private let ends = Mutex<[SessionID: Int64]>([:])
  private let listeners = Listeners<(SessionID, Bool)>(limit: 64)
  /// The number of people who may type at a time; more are not shown.
  static let limit = 1000

  /// Records a typing message. Returns true if that changed the indicator.
  func note(_ person: SessionID, isTyping: Bool, at sentAt: Int64, now: Int64) -> Bool {
    listeners.tell((person, isTyping))
    return ends.withLock { ends in
      ends = ends.filter { $0.value > now }
      let end = min(sentAt, now) + Self.lifetime
      guard isTyping, end > now, ends.count < Self.limit else {
        return ends.removeValue(forKey: person) != nil
      }
      return ends.updateValue(end, forKey: person) == nil
    }
  }

  /// Every typing message from now on.
  func changes() -> AsyncStream<(SessionID, Bool)> { listeners.stream() }

  func finish() { listeners.finish() }

  func isTyping(_ person: SessionID, now: Int64) -> Bool { remaining(of: person, now: now) != nil }

  /// The remaining time for the person of a conversation.
  func remaining(in conversation: Conversation.ID, now: Int64) -> Int64? {
    conversation.account.flatMap { remaining(of: $0, now: now) }
  }

  /// The same time for each person who is typing.
  func remaining(now: Int64) -> [SessionID: Int64] {
    ends.withLock { $0 }.mapValues { $0 - now }.filter { $0.value > 0 }
  }

  /// The time until the indicator expires without a new message, in milliseconds; nil if the person is not typing.
  func remaining(of person: SessionID, now: Int64) -> Int64? {
    let remaining = ends.withLock { $0[person] ?? 0 } - now
    return remaining > 0 ? remaining : nil
  }
}
