import SessionStorage

/// A program that follows the events of an account, under a name of its own.
public struct EventReaderView: Hashable, Sendable {
  public let name: String
  /// The last event that it has processed.
  public let acknowledged: MessengerEvent.Cursor
  /// When it acknowledged last, in milliseconds since 1970.
  public let acknowledgedAt: Int64
  /// The number of stored events after that one.
  public let pending: Int
  /// The number of its dead events.
  public let dead: Int
  /// The event that was delivered first of those it has not acknowledged; it may have been acknowledged since.
  package let head: MessengerEvent.Cursor
  /// How often the head was delivered.
  package let headTries: Int

  init(_ record: EventReaderRecord, pending: Int, dead: Int) {
    name = record.name
    acknowledged = MessengerEvent.Cursor(rawValue: record.acknowledged.rawValue)
    acknowledgedAt = record.at
    self.pending = pending
    self.dead = dead
    head = MessengerEvent.Cursor(rawValue: record.head.rawValue)
    headTries = record.headTries
  }
}

/// An event that a reader did not acknowledge after as many deliveries as it wanted.
public struct DeadEventView: Hashable, Sendable {
  public let reader: String
  public let event: MessengerEvent
  /// How often it was delivered, since it was retried if it was.
  public let tries: Int
  /// Why the reader refused it, if it said so.
  public let reason: String?
  /// When it was given up, in milliseconds since 1970.
  public let diedAt: Int64
  /// True if it will be delivered again.
  public let isRetried: Bool

  /// Nil for an event of a kind that this program does not know.
  init?(_ record: DeadEventRecord) {
    guard let event = MessengerEvent(record.event) else { return nil }
    reader = record.reader
    self.event = event
    tries = record.tries
    reason = record.reason
    diedAt = record.diedAt
    isRetried = record.isRetried
  }
}
