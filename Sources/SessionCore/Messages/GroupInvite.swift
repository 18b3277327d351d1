internal import CSessionCore

/// Invites an account into a group.
public struct GroupInvite: Equatable, Sendable {
  public let group: SessionID
  public let name: String
  /// The member's credentials, 100 bytes, from ``GroupAdminKey/grantAccess(to:)``.
  public let authData: SecretBytes

  public init(to group: SessionID, name: String, authData: SecretBytes) throws(SessionError) {
    self.group = group
    self.name = Name.trimmed(name)
    self.authData = authData
    try GroupUpdate.invite(self).check()
  }

  init(_ invite: sc_group_invite) throws(SessionError) {
    group = SessionID(invite.group)
    name = invite.name.text ?? ""
    authData = try SecretBytes(copying: invite.auth_data.content)
  }

  func core(in arena: CoreArena) -> sc_group_invite {
    sc_group_invite(group: group.core, name: arena.text(name), auth_data: arena.bytes(authData))
  }
}
