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
    try requireRoom(forReader: acknowledgement.reader)
    try acknowledge(
      EventRecord.ID(rawValue: acknowledgement.cursor.rawValue), by: acknowledgement.reader, at: now)
  }

  /// Throws `tooManyReaders` if the reader is new and there are as many as there can be.
  private func requireRoom(forReader name: String) throws {
    guard try eventReader(name) != nil || eventReaderCount() < Messenger.maxReaders else {
      throw MessengerError(.tooManyReaders, "an account has up to \(Messenger.maxReaders) readers of events")
    }
  }
}
