import SessionCore
import SessionStorage

/// A change of how a conversation with a person is protected, as its notes tell.
public enum SecurityChange: String, Hashable, Sendable, CaseIterable, Codable {
  /// Messages have forward secrecy from now on.
  case protected
  /// Messages have less protection than before.
  case weakened
  case deviceAdded
  /// A new device gets nothing until it is vouched for or confirmed.
  case deviceHeld
  case deviceRemoved
  case devicesDisagree
  /// New keys were agreed on, because messages could not be read.
  case sessionReset
  /// Messages could not be read.
  case lost
  case verified
  case unverified
}

private enum SecurityNoteStatements {
  static let recent: SQL = """
    SELECT info FROM interaction WHERE threadID = ? AND kind = ? AND sentAt > ? ORDER BY sentAt DESC LIMIT 20
    """
}

extension WriteTransaction {
  /// How often a conversation gets a note of the same change, in milliseconds.
  private static let interval = Ratchet.Time.hour

  /// Adds a note to the conversation with a person, if there is one, and reports the change.
  func addNote(
    _ change: SecurityChange, device: [UInt8]? = nil, about person: SessionID, at now: MessageTime
  ) throws {
    let note = MessageView.Note.security(change, device: device.map { Array($0.prefix(4)).hex })
    let thread = try thread(at: person.address)
    var content = MessengerEvent.Content(person: person)
    if let thread { content = MessengerEvent.Content(in: thread, person: person) }
    content.reason = change.rawValue
    try tell(.securityChanged, content, thread: thread?.id, at: now)
    guard let thread else { return }
    let recent: [[UInt8]?] = try values(
      SecurityNoteStatements.recent, thread.id, note.number, now.stored - Self.interval)
    let isKnown = recent.contains { info in
      guard case .security(change, _) = MessageView.Note(note.kind, info: info) else { return false }
      return true
    }
    guard !isKnown else { return }
    var row = InteractionRecord(
      in: thread.id, by: person.address, note.kind, sentAt: now.stored, receivedAt: now.stored,
      state: .received)
    row.info = note.info
    row.wasRead = true
    try insert(row)
  }
}
