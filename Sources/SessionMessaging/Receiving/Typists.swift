import SessionCore
import Synchronization

/// Who types, as far as they told; nothing of it is kept.
final class Typists: Sendable {
  /// How long somebody types who told no more, in milliseconds.
  static let patience: Int64 = 15_000

  private let ends = Mutex<[SessionID: Int64]>([:])
  /// How many may type at a time; of more, some are not shown.
  private static let limit = 1000

  /// Takes what somebody told at a time. Whether that is news.
  func note(_ person: SessionID, isTyping: Bool, at sentAt: Int64, now: Int64) -> Bool {
    ends.withLock { ends in
      ends = ends.filter { $0.value > now }
      let end = min(sentAt, now) + Self.patience
      guard isTyping, end > now, ends.count < Self.limit else {
        return ends.removeValue(forKey: person) != nil
      }
      return ends.updateValue(end, forKey: person) == nil
    }
  }

  func isTyping(_ person: SessionID, now: Int64) -> Bool { rest(of: person, now: now) != nil }

  /// The same of whoever a conversation is with.
  func rest(in conversation: Conversation.ID, now: Int64) -> Int64? {
    conversation.account.flatMap { rest(of: $0, now: now) }
  }

  /// The time until the first indicator expires without a new message, in milliseconds; nil if no person is typing.
  func rest(of person: SessionID, now: Int64) -> Int64? {
    let rest = ends.withLock { $0[person] ?? 0 } - now
    return rest > 0 ? rest : nil
  }
}
