public import SessionCore
import SessionStorage

/// A message as it is shown.
public struct MessageView: Hashable, Sendable, Identifiable {
  public struct ID: RawRepresentable, Hashable, Sendable, Codable, Comparable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    init(_ id: InteractionRecord.ID) { self.init(rawValue: id.rawValue) }
    var record: InteractionRecord.ID { InteractionRecord.ID(rawValue: rawValue) }
  }

  /// What it is.
  public enum Kind: Hashable, Sendable {
    case message
    /// Somebody deleted it for everybody.
    case deleted
    /// We deleted it on this device.
    case deletedHere
    /// A note of the program.
    case note(Note)
  }

  /// What the program notes in a conversation.
  public enum Note: Int, Hashable, Sendable, CaseIterable {
    /// The other side accepted our message request.
    case requestAccepted = 1000
    /// Somebody set or took away the timer of the conversation, which is that of the note.
    case timerChanged = 1001
    /// The other side saved media.
    case mediaSaved = 1002
    /// The other side called.
    case missedCall = 1003
  }

  public enum State: Hashable, Sendable {
    case received
    case sending
    /// Sent; our other devices may not know of it yet.
    case sent
    /// It was not sent, and why.
    case failed(String)
    /// Sent, but our other devices could not be told, and why.
    case unsynced(String)
  }

  /// What somebody thinks of it.
  public struct Reaction: Hashable, Sendable {
    public let emoji: String
    public let author: SessionID
  }

  /// A message that this one answers.
  public struct Quoted: Hashable, Sendable {
    public let author: SessionID
    public let sentAt: Int64
    /// Nil when it is not here, or was deleted.
    public let message: ID?
    public let body: String?
    /// The first image that it came with, or else the first file.
    public let attachment: AttachmentView?
  }

  /// What a link in it leads to, as its sender said.
  public struct Link: Hashable, Sendable {
    public let url: String
    public let title: String?
    public let image: AttachmentView?
    /// Whether it invites to a community.
    public let isInvitation: Bool
  }

  public let id: ID
  public let conversation: SessionID
  public let author: SessionID
  public let isOutgoing: Bool
  public let kind: Kind
  /// The text as far as it is to be shown: of a text for which its sender needs Session Pro, and has not proven it, the
  /// first ``VisibleMessage/maxStandardCharacters``.
  public let body: String
  /// The text as it was sent, up to ``VisibleMessage/maxCharacters``.
  public let fullBody: String
  /// The files that came with it, in their order.
  public let attachments: [AttachmentView]
  /// Milliseconds since 1970; with the author it is what others know the message by.
  public let sentAt: Int64
  public let state: State
  public let isRead: Bool
  public let mentionsUs: Bool
  /// When the other side read it, if they told.
  public let readByRecipientAt: Int64?
  /// When it will disappear, once that is known.
  public let disappearsAt: Int64?
  /// The timer it came with.
  public let timer: DisappearingTimer?
  public let quoted: Quoted?
  public let link: Link?
  public let reactions: [Reaction]
}

extension InteractionRecord.Kind {
  init(_ note: MessageView.Note) { self.init(rawValue: note.rawValue) }
}

extension Reading where Self: ~Copyable {
  /// A message with all that belongs to it; nil once its time is over, and for one that this version cannot show.
  func view(of record: InteractionRecord, in thread: ThreadRecord, at now: MessageTime) throws -> MessageView?
  {
    guard !record.isOver(at: now), let conversation = SessionID(thread.address),
      let author = SessionID(record.author),
      let kind = MessageView.Kind(record.kind)
    else { return nil }
    return MessageView(
      id: MessageView.ID(record.id), conversation: conversation, author: author,
      isOutgoing: record.isOutgoing, kind: kind, body: record.shownBody, fullBody: record.body ?? "",
      attachments: try attachments(of: record.id).map { AttachmentView($0) }, sentAt: record.sentAt,
      state: MessageView.State(record), isRead: record.wasRead, mentionsUs: record.hasMention,
      readByRecipientAt: record.readByRecipientAt,
      disappearsAt: record.disappearsAt, timer: record.expiry.timer,
      quoted: try quoted(by: record, at: now), link: try link(of: record),
      reactions: try reactions(to: record.id).compactMap { reaction in
        SessionID(reaction.author).map { MessageView.Reaction(emoji: reaction.emoji, author: $0) }
      })
  }

  /// The newest messages before a place that are still to be seen, the last one first.
  func visiblePage(
    of thread: ThreadRecord, before place: InteractionPlace = .end, limit: Int, at now: MessageTime
  ) throws -> [MessageView] {
    var (views, place) = ([MessageView](), place)
    while views.count < limit {
      let page = try page(of: thread.id, before: place, limit: limit - views.count)
      guard let last = page.last else { break }
      views += try page.compactMap { record in try view(of: record, in: thread, at: now) }
      place = last.place
    }
    return views
  }

  private func quoted(by record: InteractionRecord, at now: MessageTime) throws -> MessageView.Quoted? {
    guard let quote = try quote(of: record.id), let author = SessionID(quote.author) else { return nil }
    let original = try interaction(in: record.threadID, by: quote.author, sentAt: quote.sentAt)
    let shown = original.flatMap { $0.isDeleted || $0.isOver(at: now) ? nil : $0 }
    return MessageView.Quoted(
      author: author, sentAt: quote.sentAt, message: shown.map { MessageView.ID($0.id) },
      body: shown?.shownBody,
      attachment: try shown.flatMap { shown in try thumbnail(of: shown.id) })
  }

  private func link(of record: InteractionRecord) throws -> MessageView.Link? {
    guard let id = record.linkPreviewID, let preview = try linkPreview(id) else { return nil }
    return MessageView.Link(
      url: preview.url, title: preview.title,
      image: try preview.attachmentID.flatMap { id in try attachment(id).map { AttachmentView($0) } },
      isInvitation: preview.kind == .communityInvitation)
  }
}

extension MessageView {
  /// True if ``body`` leaves out the end of the text.
  public var isTruncated: Bool { body.utf8.count < fullBody.utf8.count }
}

extension InteractionRecord {
  fileprivate var shownBody: String {
    let features = MessagePro.MessageFeatures(rawValue: UInt64(bitPattern: proMessageFeatures))
    let isProven = proStatus == Int64(ProStatus.valid.rawValue) && features.contains(.longText)
    return VisibleMessage.shown(body ?? "", whole: isOutgoing || isProven)
  }

  var isOutgoing: Bool {
    [Kind.outgoing, .outgoingDeleted, .outgoingDeletedLocally].contains(kind)
  }

  var isDeleted: Bool {
    [Kind.incomingDeleted, .incomingDeletedLocally, .outgoingDeleted, .outgoingDeletedLocally].contains(kind)
  }
}

extension MessageView.Kind {
  fileprivate init?(_ kind: InteractionRecord.Kind) {
    switch kind {
    case .incoming, .outgoing: self = .message
    case .incomingDeleted, .outgoingDeleted: self = .deleted
    case .incomingDeletedLocally, .outgoingDeletedLocally: self = .deletedHere
    default:
      guard let note = MessageView.Note(rawValue: kind.rawValue) else { return nil }
      self = .note(note)
    }
  }
}

extension MessageView.State {
  fileprivate init(_ record: InteractionRecord) {
    switch record.state {
    case .received: self = .received
    case .sending: self = .sending
    case .sent, .syncing: self = .sent
    case .failed: self = .failed(record.failure ?? "it was not sent")
    case .failedToSync: self = .unsynced(record.failure ?? "other devices could not be told")
    }
  }
}
