internal import CSessionCore

/// Tells the members that something about the group was changed. It is to be shown; the group's config
/// decides.
public enum GroupInfoChange: Hashable, Sendable {
  /// The new name, where it was told.
  case name(String?)
  case picture
  /// The seconds until messages disappear, 0 when they no longer do.
  case disappearing(seconds: UInt32)
}

extension GroupInfoChange {
  /// What signatures name the change by.
  var number: UInt32 { type.rawValue }

  private var type: Sc__GroupUpdateInfoChangeMessage__Type {
    switch self {
    case .name: SC__GROUP_UPDATE_INFO_CHANGE_MESSAGE__TYPE__NAME
    case .picture: SC__GROUP_UPDATE_INFO_CHANGE_MESSAGE__TYPE__AVATAR
    case .disappearing: SC__GROUP_UPDATE_INFO_CHANGE_MESSAGE__TYPE__DISAPPEARING_MESSAGES
    }
  }

  /// The same with the name as it is sent.
  func withUsableName() throws(SessionError) -> GroupInfoChange {
    guard case .name(let name?) = self else { return self }
    let trimmed = Name.trimmed(name)
    try MessageRule.groupName.require(Name.isUsable(trimmed))
    return .name(trimmed)
  }

  init(_ fields: Sc__GroupUpdateInfoChangeMessage) throws(SessionError) {
    switch fields.type {
    case SC__GROUP_UPDATE_INFO_CHANGE_MESSAGE__TYPE__NAME:
      let name = try fields.updated_name.text().map(Name.received)
      self = .name(name?.isEmpty ?? true ? nil : name)
    case SC__GROUP_UPDATE_INFO_CHANGE_MESSAGE__TYPE__AVATAR:
      self = .picture
    default:
      self = .disappearing(seconds: fields.has_updated_expiration != 0 ? fields.updated_expiration : 0)
    }
  }

  func write(
    to arena: ContentArena, signature: [UInt8]
  ) -> UnsafeMutablePointer<Sc__GroupUpdateInfoChangeMessage> {
    let fields = arena.make(sc__group_update_info_change_message__init)
    fields.pointee.type = type
    fields.pointee.admin_signature = arena.data(signature)
    switch self {
    case .name(let name): fields.pointee.updated_name = arena.text(name)
    case .picture: break
    case .disappearing(let seconds):
      fields.pointee.has_updated_expiration = 1
      fields.pointee.updated_expiration = seconds
    }
    return fields
  }
}
