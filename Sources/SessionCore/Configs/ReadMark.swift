internal import CSessionCore

/// How far a conversation was read.
public struct ReadMark: Hashable, Sendable, Identifiable {
  /// With whom, or where.
  public enum Place: Hashable, Sendable {
    case contact(SessionID)
    case group(SessionID)
    case community(Community.Place)
    /// With somebody who is known by a blinded id.
    case blinded(SessionID)
    case legacyGroup(SessionID)
  }

  public let id: Place
  /// When the newest message that was read was sent, in milliseconds since 1970; 0 for none.
  public var lastReadMilliseconds: Int64
  /// Marked as unread by hand.
  public var isMarkedUnread: Bool
  /// Read so long ago that it is kept on this device alone.
  public let isArchived: Bool
  /// Until when the other side has Pro, and what a revocation of it names.
  public let pro: Pro?

  public struct Pro: Hashable, Sendable {
    /// Since 1970.
    public let endsAtSeconds: Int64
    /// 32 bytes. It stays the same for a subscription: never log it.
    public let tag: [UInt8]
  }

  /// Reading goes forward only.
  public mutating func markRead(upTo read: MessageTime) {
    lastReadMilliseconds = max(lastReadMilliseconds, Int64(read.milliseconds))
    isMarkedUnread = false
  }
}

extension ReadMark {
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
    isArchived = convo.archived
    pro = convo.pro_expiry_s == 0 ? nil : Pro(convo)
  }

  func write(to convo: inout sc_convo) {
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
