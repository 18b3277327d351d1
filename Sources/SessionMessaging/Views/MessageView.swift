public import SessionCore
import SessionStorage

/// A message, for display.
public struct MessageView: Hashable, Sendable, Identifiable {
  public struct ID: RawRepresentable, Hashable, Sendable, Codable, Comparable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    init(_ id: InteractionRecord.ID) { self.init(rawValue: id.rawValue) }
    var record: InteractionRecord.ID { InteractionRecord.ID(rawValue: rawValue) }
  }

  /// The kind of message.
  public enum Kind: Hashable, Sendable {
    case message
    /// Its author deleted it for everyone.
    case deleted
    /// We deleted it on this device.
    case deletedHere
    /// A note of the program.
    case note(Note)
  }

  public enum State: Hashable, Sendable {
    case received
    case sending
    /// Sent; our other devices may not know of it yet.
    case sent
    /// It was not sent; the reason is given.
    case failed(String)
    /// Sent, but the copy for our other devices was not; the reason is given.
    case unsynced(String)
  }

  /// Who sees a message of a room that not everyone sees.
  public enum Whisper: Hashable, Sendable, Codable {
    case moderators
    /// Its author and one person.
    case person(SessionID)
  }

  /// A reaction of one person.
  public struct Reaction: Hashable, Sendable {
    public let emoji: String
    public let author: SessionID
    /// People whom the server of a room counts, and does not name. They belong to the first reaction with the emoji.
    public internal(set) var others = 0
  }

  /// The message that this one replies to.
  public struct Quoted: Hashable, Sendable {
    public let author: SessionID
    public let sentAt: Int64
    /// Nil if it is not here, or was deleted.
    public let message: ID?
    public let body: String?
    /// Its first image, or else its first file.
    public let attachment: AttachmentView?
  }

  /// The preview of a link in it, from its sender.
  public struct Link: Hashable, Sendable {
    public let url: String
    public let title: String?
    public let image: AttachmentView?
    /// True if it is an invitation to a community.
    public let isInvitation: Bool
  }

  public let id: ID
  public let conversation: Conversation.ID
  public let author: SessionID
  public let isOutgoing: Bool
  public let kind: Kind
  /// The text to show. Without proof that the sender has Session Pro, a long text is cut to the first
  /// ``VisibleMessage/maxStandardCharacters``.
  public let body: String
  /// The text as it was sent, up to ``VisibleMessage/maxCharacters``.
  public let fullBody: String
  /// The files of the message, in order.
  public let attachments: [AttachmentView]
  /// Milliseconds since 1970; author and time identify the message for others.
  public let sentAt: Int64
  public let state: State
  /// Why the last change of it was not carried out, if it is in a room.
  public let changeFailure: String?
  /// When its author changed its text, if that happened.
  public let editedAt: Int64?
  public let whisper: Whisper?
  public let isRead: Bool
  public let mentionsUs: Bool
  /// When the other side read it, if it sent a receipt.
  public let readByRecipientAt: Int64?
  /// When it will disappear, once that is known.
  public let disappearsAt: Int64?
  /// The timer of the message.
  public let timer: DisappearingTimer?
  public let quoted: Quoted?
  public let link: Link?
  public let reactions: [Reaction]
  /// How it was protected on its way; nil if that is not known.
  public let level: SecurityLevel?
  /// True while it is not sent because keys of its recipient's devices have to be fetched first.
  public let waitsForKeys: Bool
  /// True if it came from a device of its author that nothing vouches for.
  public let isFromHeldDevice: Bool
}

extension MessageView {
  /// True if ``body`` leaves out the end of the text.
  public var isTruncated: Bool { body.utf8.count < fullBody.utf8.count }
}

extension InteractionRecord {
  /// Why the last change of a sent or received message was not carried out.
  var changeFailure: String? { state == .sent || state == .received ? failure : nil }

  var shownBody: String {
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
  /// Nil for a kind of message that this version does not know.
  init?(_ record: InteractionRecord) {
    switch record.kind {
    case .incoming, .outgoing: self = .message
    case .incomingDeleted, .outgoingDeleted: self = .deleted
    case .incomingDeletedLocally, .outgoingDeletedLocally: self = .deletedHere
    case let kind where kind.isNote: self = .note(MessageView.Note(kind, info: record.info))
    default: return nil
    }
  }
}

extension MessageView.State {
  init(_ record: InteractionRecord) {
    switch record.state {
    case .received: self = .received
    case .sending: self = .sending
    case .sent, .syncing: self = .sent
    case .failed: self = .failed(record.failure ?? "it was not sent")
    case .failedToSync: self = .unsynced(record.failure ?? "could not be sent to your other devices")
    }
  }
}
