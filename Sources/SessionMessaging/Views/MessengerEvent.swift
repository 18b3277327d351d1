import SessionBase
public import SessionCore
import SessionJobs
import SessionStorage

/// An event. It is stored together with the change that it reports, and kept until all readers have acknowledged
/// it.
public struct MessengerEvent: Hashable, Sendable, Identifiable {
  public enum Kind: String, Sendable, CaseIterable {
    /// A message arrived from another person, or a copy of one that another of our devices sent.
    case messageReceived
    /// A message was queued for sending.
    case messageQueued
    case messageSent
    /// A message could not be sent; the message has the reason.
    case messageFailed
    /// A message changed: its reactions, read state or timer.
    case messageChanged
    /// A message was deleted, or expired.
    case messageDeleted
    case conversationChanged
    case conversationDeleted
    /// Members of a group came, went or became admins, or an invitation has come further.
    case groupMembersChanged
    /// We were removed from a group, or it was deleted for everyone: the reason is `kicked` or `destroyed`.
    case groupEnded
    /// A group could not be created; the reason is given.
    case groupFailed
    /// An invitation or promotion could not be sent; the reason is given.
    case groupOfferFailed
    /// A stranger wrote for the first time.
    case requestReceived
    /// A person accepted our message request.
    case requestAccepted
    case contactChanged
    /// Our own profile changed.
    case profileChanged
    /// Our own picture, or that of a group, could not be uploaded and was reverted; the reason is given.
    case pictureFailed
    /// A file was downloaded or uploaded, or the transfer failed; the reason is given.
    case attachmentChanged
    /// A scheduled message was added, moved, cancelled, sent, missed or refused: ``scheduled``. The reason says why it was
    /// not sent; of one that was sent, the message is given.
    case scheduledChanged
    /// A tag, or the tags of a conversation, changed.
    case tagChanged
    /// The account got the content of an archive: ``archive``.
    case accountImported
    /// A backup of the account by its plan failed; the reason is given.
    case backupFailed
    /// Messages with a person are protected in another way, or their devices have changed: the reason says how. Without a
    /// person: forward secrecy was switched on or off.
    case securityChanged
    /// Devices of our own account came, went or were linked.
    case devicesChanged
    /// The reader was away for so long that events it has not seen are no longer stored: see ``lost``. It should
    /// read its conversations again. Gaps are made for a reader, and never stored.
    case gap
  }

  /// A position in the sequence of events. Numbers grow, with gaps.
  public struct Cursor: RawRepresentable, Hashable, Sendable, Codable, Comparable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Before all events.
    public static let start = Cursor(rawValue: 0)
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  public let id: Cursor
  public let kind: Kind
  /// Milliseconds since 1970, by the network's time.
  public let at: Int64
  public let conversation: Conversation.ID?
  public let message: MessageView.ID?
  /// The person it is about, if any.
  public let person: SessionID?
  /// The file it is about, if any.
  public let attachment: AttachmentView.ID?
  /// The reason of a failure that is not stored elsewhere, and of the end of a group.
  public let reason: String?
  /// The members of a group whom it is about, at most ``maxPeople``.
  public let people: [SessionID]
  /// The archive whose content the account got.
  public let archive: Archive?
  /// The scheduled message that it is about.
  public let scheduled: ScheduledMessage.ID?
  /// The events that a gap replaces.
  public var lost: ClosedRange<Cursor>? = nil

  /// An archive that was imported.
  public struct Archive: Hashable, Sendable, Codable {
    /// Identifies the archive, in hexadecimal.
    public let id: String
    /// When it was made, in milliseconds since 1970.
    public let created: Int64
    public let rows: Int
    public let files: Int
    /// The number of rows and files that could not be taken.
    public let problems: Int
  }

  /// The number of people that an event names; of more people, it names the first.
  public static let maxPeople = 100
}

extension MessengerEvent {
  /// The stored content of an event apart from its kind.
  struct Content: Decodable {
    var conversation: Conversation.ID?
    var person: SessionID?
    var attachment: Int64?
    var reason: String?
    var people: [SessionID]?
    var archive: Archive?
    var scheduled: Int64?

    init(conversation: Conversation.ID? = nil, person: SessionID? = nil) {
      self.conversation = conversation
      self.person = person
    }

    init(in thread: ThreadRecord, person: SessionID? = nil) {
      self.init(conversation: Conversation.ID(thread.address), person: person)
    }

    init(in thread: ThreadRecord, people: [SessionID]) {
      self.init(in: thread)
      self.people = Array(people.prefix(MessengerEvent.maxPeople))
    }

    init(in thread: ThreadRecord, reason: String) {
      self.init(in: thread)
      self.reason = reason
    }

    /// The JSON of an event, written by hand because there is one for each message, and ids need no escaping.
    var encoded: [UInt8] {
      var fields = [("conversation", conversation?.description), ("person", person?.description)]
        .compactMap { name, id in id.map { "\"\(name)\":\"\($0)\"" } }
      if let attachment { fields.append("\"attachment\":\(attachment)") }
      if let scheduled { fields.append("\"scheduled\":\(scheduled)") }
      if let reason { fields.append("\"reason\":\(JSONText.quoted(reason))") }
      if let people {
        fields.append("\"people\":[\(people.map { "\"\($0)\"" }.joined(separator: ","))]")
      }
      if let archive {
        fields.append(
          """
          "archive":{"id":\(JSONText.quoted(archive.id)),"created":\(archive.created),"rows":\(archive.rows),\
          "files":\(archive.files),"problems":\(archive.problems)}
          """)
      }
      return Array("{\(fields.joined(separator: ","))}".utf8)
    }
  }

  /// Nil for an event of a kind that this program does not know.
  init?(_ record: EventRecord) {
    guard let kind = Kind(rawValue: record.kind), kind != .gap else { return nil }
    let content = record.content.flatMap { try? JobPayload.decode(Content.self, from: $0) }
    self.init(
      id: Cursor(rawValue: record.id.rawValue), kind: kind, at: record.at,
      conversation: content?.conversation,
      message: record.interactionID.map { MessageView.ID(rawValue: $0.rawValue) }, person: content?.person,
      attachment: content?.attachment.map { AttachmentView.ID(rawValue: $0) }, reason: content?.reason,
      people: content?.people ?? [], archive: content?.archive,
      scheduled: content?.scheduled.map { ScheduledMessage.ID(rawValue: $0) })
  }
}

extension MessengerEvent {
  fileprivate init(lost: ClosedRange<Cursor>, at time: Int64) {
    self.init(
      id: lost.upperBound, kind: .gap, at: time, conversation: nil, message: nil, person: nil,
      attachment: nil, reason: nil, people: [], archive: nil, scheduled: nil, lost: lost)
  }
}

extension Reading where Self: ~Copyable {
  /// Returns up to `limit` events after a cursor; a gap first if some are no longer stored. Events of kinds that only
  /// a newer program knows are skipped.
  func events(
    behind cursor: MessengerEvent.Cursor, limit: Int, at now: MessageTime
  ) throws -> [MessengerEvent] {
    guard limit > 0 else { return [] }
    var (events, last) = ([MessengerEvent](), EventRecord.ID(rawValue: cursor.rawValue))
    let floor = try requireKnown(cursor)
    if cursor != .start, last < floor {
      let first = MessengerEvent.Cursor(rawValue: cursor.rawValue + 1)
      events.append(
        MessengerEvent(lost: first...MessengerEvent.Cursor(rawValue: floor.rawValue), at: now.stored))
      last = floor
    }
    while events.count < limit {
      let records = try self.events(after: last, limit: limit - events.count)
      guard let newest = records.last else { break }
      events += records.compactMap { MessengerEvent($0) }
      last = newest.id
    }
    return events
  }

  /// The newest event, which may have been deleted.
  func newestEvent() throws -> EventRecord.ID { try lastEvent() ?? eventFloor() }

  /// Throws `cursor` for a number that no event had yet. Returns the newest deleted event.
  @discardableResult
  func requireKnown(_ cursor: MessengerEvent.Cursor) throws -> EventRecord.ID {
    let floor = try eventFloor()
    guard cursor.rawValue <= (try newestEvent()).rawValue else {
      throw MessengerError(
        .unknownCursor, "there is no event \(cursor.rawValue): the cursor belongs to another database")
    }
    return floor
  }
}

extension WriteTransaction {
  /// Records an event.
  func tell(
    _ kind: MessengerEvent.Kind, _ content: MessengerEvent.Content, thread: ThreadRecord.ID? = nil,
    message: InteractionRecord.ID? = nil, at now: MessageTime
  ) throws {
    try appendEvent(
      kind.rawValue, at: now.stored, thread: thread, interaction: message,
      content: content.encoded)
  }

  /// Reports a change of a message.
  func tell(_ kind: MessengerEvent.Kind, _ message: InteractionRecord, at now: MessageTime) throws {
    let address = try thread(message.threadID)?.address
    let content = MessengerEvent.Content(
      conversation: address.flatMap { Conversation.ID($0) }, person: SessionID(message.author))
    try tell(kind, content, thread: message.threadID, message: message.id, at: now)
  }
}
