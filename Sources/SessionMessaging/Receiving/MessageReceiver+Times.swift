import SessionCore
import SessionStorage

// A message is known by its author and send time. One that gets another time, because its own is in the future or taken
// by such a message, is remembered under both: it must neither come twice nor hide another message.

private enum TimeStatements {
  static let last: SQL = """
    SELECT max(sentAt) FROM interaction WHERE threadID = ? AND author = ? AND kind < 1000 AND sentAt BETWEEN ? AND ?
    """
  /// Looks for the identifiers of times at which messages were sent.
  static let redated: SQL =
    "SELECT 1 FROM seenMessage WHERE address = ? AND identifier >= 'sent:' AND identifier < 'sent;' LIMIT 1"
}

extension Reading where Self: ~Copyable {
  /// The time of an author's last message within so many milliseconds from a time on.
  fileprivate func lastTime(
    in thread: ThreadRecord.ID, by author: String, from start: Int64, within length: Int64
  ) throws -> Int64? {
    // Of no rows the latest time is null.
    let found: Int64?? = try value(TimeStatements.last, thread, author, start, start + length)
    return found ?? nil
  }

  /// True if messages of a conversation are stored at other times than their own.
  func hasRedated(in address: String) throws -> Bool { try exists(TimeStatements.redated, address) }
}

extension MessageReceiver {
  /// The number of taken milliseconds after which the search for a free one leaps, and how far, in milliseconds.
  static let mostSteps = 16
  static let leap: Int64 = 10_000

  /// The time at which to store a message.
  enum StorageTime {
    case free(Int64)
    /// The message is stored already.
    case stored(InteractionRecord)
    /// It was stored at another time than its own.
    case redated
  }

  func storageTime(
    of received: ReceivedMessage, _ arrival: Arrival, in conversation: Conversation.ID,
    _ thread: ThreadRecord?, _ transaction: borrowing WriteTransaction
  ) throws -> StorageTime {
    let (author, sentAt) = (received.sender, received.sentAt.stored)
    let address = conversation.address
    if try mayRedate(in: conversation, transaction),
      try transaction.hasSeen(Self.identifier(sentBy: author, at: sentAt), in: address)
    {
      return .redated
    }
    var time = shownTime(of: received)
    // A server may accept two messages of one author in the same millisecond.
    var isOther = if case .number = arrival.name { true } else { time != sentAt }
    var steps = 0
    while let thread,
      let same = try transaction.interaction(in: thread.id, by: author.address, sentAt: time)
    {
      isOther = try isOther || transaction.hasSeen(Self.identifier(shownBy: author, at: time), in: address)
      guard isOther else { return .stored(same) }
      steps += 1
      // A hostile author must not make each message slower to store than the one before.
      if steps >= Self.mostSteps {
        time =
          try transaction.lastTime(in: thread.id, by: author.address, from: time, within: Self.leap) ?? time
      }
      time += 1
    }
    return .free(time)
  }

  /// Remembers both times of a message that is stored at another time than its own.
  func rememberTime(
    _ time: Int64, of received: ReceivedMessage, _ arrival: Arrival, in conversation: Conversation.ID,
    _ transaction: borrowing WriteTransaction
  ) throws {
    // The number of a message on a server identifies it.
    if case .number = arrival.name { return }
    guard time != received.sentAt.stored else { return }
    noteRedating(in: conversation)
    let identifiers = [
      Self.identifier(sentBy: received.sender, at: received.sentAt.stored),
      Self.identifier(shownBy: received.sender, at: time),
    ]
    for identifier in identifiers {
      try transaction.insert(
        SeenMessage(
          identifier, in: conversation.address, expiresAt: arrival.end(at: now) + SeenMessage.grace,
          diesWithThread: false))
    }
  }

  /// The send time to show: a time in the future is replaced by now.
  func shownTime(of received: ReceivedMessage) -> Int64 {
    let sentAt = received.sentAt.stored
    return sentAt > now.stored + Self.futureTolerance ? now.stored : sentAt
  }

  private static func identifier(sentBy author: SessionID, at time: Int64) -> String {
    "sent:\(author.address):\(time)"
  }

  private static func identifier(shownBy author: SessionID, at time: Int64) -> String {
    "shown:\(author.address):\(time)"
  }
}
