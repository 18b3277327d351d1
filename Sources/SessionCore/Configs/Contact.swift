internal import CSessionCore

/// A contact of an account, with the settings of their conversation.
public struct Contact: Hashable, Sendable, Identifiable {
  public let id: SessionID
  public var name: String
  /// The nickname we gave them, or empty.
  public var nickname: String
  public var picture: ProfilePicture?
  /// When name and picture were changed, in seconds since 1970; 0 if unknown. The same holds for the next property.
  public var profileUpdatedAtSeconds: Int64
  public var createdAtSeconds: Int64
  public var mutedUntilSeconds: Int64
  public var priority: Priority
  /// When messages of the conversation disappear.
  public var disappearing: DisappearingTimer?
  public var notifying: Notifying
  /// We want to hear from them.
  public var isApproved: Bool
  /// They want to hear from us.
  public var hasApprovedMe: Bool
  public var isBlocked: Bool
  public var features: MessagePro.ProfileFeatures

  public var shownName: String { nickname.isEmpty ? name : nickname }
}

extension Contact: ConfigRecord {
  init(_ contact: sc_contact) throws(SessionError) {
    id = SessionID(contact.id)
    name = try contact.name.shown()
    nickname = try contact.nickname.shown()
    picture = ProfilePicture(contact.picture)
    profileUpdatedAtSeconds = contact.profile_updated_s
    createdAtSeconds = contact.created_s
    mutedUntilSeconds = contact.mute_until_s
    priority = Priority(contact.priority)
    disappearing = try DisappearingTimer(contact.expiry, seconds: contact.expiry_s)
    notifying = Notifying(contact.notify)
    isApproved = contact.approved
    hasApprovedMe = contact.approved_me
    isBlocked = contact.blocked
    features = MessagePro.ProfileFeatures(rawValue: contact.features)
  }

  func write(to contact: inout sc_contact, over old: Contact, arena: CoreArena) {
    store(name, over: old.name, in: &contact.name) { arena.bytes($0.utf8) }
    store(nickname, over: old.nickname, in: &contact.nickname) { arena.bytes($0.utf8) }
    store(picture, over: old.picture, in: &contact.picture, as: arena.picture)
    contact.profile_updated_s = profileUpdatedAtSeconds
    contact.created_s = createdAtSeconds
    contact.mute_until_s = mutedUntilSeconds
    contact.priority = priority.number
    store(disappearing, over: old.disappearing, in: &contact.expiry) { $0?.config ?? SC_CONFIG_EXPIRE_NEVER }
    store(disappearing, over: old.disappearing, in: &contact.expiry_s) { $0?.configSeconds ?? 0 }
    contact.notify = notifying.core
    contact.approved = isApproved
    contact.approved_me = hasApprovedMe
    contact.blocked = isBlocked
  }
}

extension DisappearingTimer {
  /// Nil if the timer is off.
  init?(_ expiry: sc_config_expiry, seconds: Int32) throws(SessionError) {
    guard seconds > 0, expiry != SC_CONFIG_EXPIRE_NEVER else { return nil }
    try self.init(
      expiry == SC_CONFIG_EXPIRE_AFTER_READ ? .afterRead : .afterSend, seconds: UInt32(seconds))
  }

  /// Between two people a timer starts on reading by default.
  var config: sc_config_expiry {
    mode == .afterSend ? SC_CONFIG_EXPIRE_AFTER_SEND : SC_CONFIG_EXPIRE_AFTER_READ
  }

  var configSeconds: Int32 { Int32(clamping: seconds) }
}
