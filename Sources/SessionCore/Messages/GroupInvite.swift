internal import CSessionCore

/// Invites an account into a group.
public struct GroupInvite: Equatable, Sendable {
  static let authDataBytes = 100

  public let group: SessionID
  public let name: String
  /// What the member authorises requests with, 100 bytes, as ``GroupAdminKey/grantAccess(to:)`` gives it.
  public let authData: SecretBytes

  public init(to group: SessionID, name: String, authData: SecretBytes) throws(SessionError) {
    try MessageRule.groupID.require(group.kind == .group)
    let name = Name.trimmed(name)
    try MessageRule.groupName.require(Name.isUsable(name))
    try MessageRule.groupAuthData.require(authData.count == Self.authDataBytes)
    self.group = group
    self.name = name
    self.authData = authData
  }
}

extension GroupInvite {
  init(_ fields: Sc__GroupUpdateInviteMessage) throws(SessionError) {
    guard let group = SessionID(try fields.group_session_id.requiredText()) else {
      throw SessionError(.groupID)
    }
    guard let authData = try fields.member_auth_data.secret() else { throw SessionError(.groupAuthData) }
    try self.init(to: group, name: Name.received(fields.name.requiredText()), authData: authData)
  }

  func write(
    to arena: ContentArena, signature: [UInt8]
  ) -> UnsafeMutablePointer<Sc__GroupUpdateInviteMessage> {
    let fields = arena.make(sc__group_update_invite_message__init)
    fields.pointee.group_session_id = arena.text(group.description)
    fields.pointee.name = arena.text(name)
    fields.pointee.member_auth_data = arena.data(authData)
    fields.pointee.admin_signature = arena.data(signature)
    return fields
  }
}
