import SessionStorage

/// The event that a change settles: the reader acknowledges it in the transaction of the change.
package struct EventAcknowledgement: Codable, Hashable, Sendable {
  package let cursor: MessengerEvent.Cursor
  package let reader: String

  package init(_ cursor: MessengerEvent.Cursor, by reader: String) {
    self.cursor = cursor
    self.reader = reader
  }
}

extension WriteTransaction {
  /// Acknowledges an event. Throws `cursor` if there is none of this number.
  func acknowledge(_ acknowledgement: EventAcknowledgement, at now: Int64) throws {
    try requireKnown(acknowledgement.cursor)
    try acknowledge(
      EventRecord.ID(rawValue: acknowledgement.cursor.rawValue), by: acknowledgement.reader, at: now)
  }
}
