internal import CSessionCore

/// The read position of a conversation.
public struct ReadMark: Hashable, Sendable, Identifiable {
  /// The conversation.
  public enum Place: Hashable, Sendable {
    case contact(SessionID)
    case group(SessionID)
    case community(Community.Place)
    /// A person known by a blinded id.
    case blinded(SessionID)
    case legacyGroup(SessionID)
  }

  public let id: Place
  /// The send time of the newest message that was read, in milliseconds since 1970; 0 if none was.
  public var lastReadMilliseconds: Int64
  /// True if the user marked it as unread.
  public var isMarkedUnread: Bool
  /// When the other side's Pro ends, and the tag that a revocation would name.
  public let pro: Pro?

  public struct Pro: Hashable, Sendable {
    /// In seconds since 1970.
    public let endsAtSeconds: Int64
    /// 32 bytes. It stays the same for a subscription: never log it.
    public let tag: [UInt8]
  }

  /// Moves the read position forward, never back.
  public mutating func markRead(upTo read: MessageTime) {
    lastReadMilliseconds = max(lastReadMilliseconds, Int64(read.milliseconds))
    isMarkedUnread = false
  }
}

extension ReadMark: ConfigRecord {
  init(_ convo: sc_convo) {
    let named = SessionID.init(_:) as (sc_id) -> SessionID
    id =
      switch convo.kind {
      case SC_CONVO_CONTACT: .contact(named(convo.id))
      case SC_CONVO_GROUP: .group(named(convo.id))
      case SC_CONVO_COMMUNITY: .community(Community.Place(convo.community))
      case SC_CONVO_BLINDED: .blinded(named(convo.id))
      default: .legacyGroup(named(convo.id))
      }
    lastReadMilliseconds = convo.last_read_ms
    isMarkedUnread = convo.unread
    pro = convo.pro_expiry_s == 0 ? nil : Pro(convo)
  }

  func write(to convo: inout sc_convo, over old: ReadMark, arena: CoreArena) {
    convo.last_read_ms = lastReadMilliseconds
    convo.unread = isMarkedUnread
  }
}

extension ReadMark.Pro {
  fileprivate init(_ convo: sc_convo) {
    endsAtSeconds = convo.pro_expiry_s
    tag = array(convo.pro_tag)
  }
}

extension ReadMark.Place {
  /// The id and its kind; nil for a community.
  var named: (kind: sc_convo_kind, id: sc_id)? {
    switch self {
    case .contact(let id): (SC_CONVO_CONTACT, id.core)
    case .group(let id): (SC_CONVO_GROUP, id.core)
    case .blinded(let id): (SC_CONVO_BLINDED, id.core)
    case .legacyGroup(let id): (SC_CONVO_LEGACY_GROUP, id.core)
    case .community: nil
    }
  }
}
