/// What admins and members of a group tell each other about it.
public enum GroupUpdate: Equatable, Sendable {
  case invite(GroupInvite)
  case promotion(GroupPromotion)
  case infoChange(GroupInfoChange)
  case memberChange(GroupMemberChange)
  /// For the admins, so that they remove the sender.
  case memberLeft
  /// For the members to see.
  case memberLeftNotification
  /// The sender accepts the invitation.
  case inviteResponse
  case contentDeletion(GroupContentDeletion)

  public var kind: MessageKind {
    switch self {
    case .invite: .groupInvite
    case .promotion: .groupPromotion
    case .infoChange: .groupInfoChange
    case .memberChange: .groupMemberChange
    case .memberLeft: .groupMemberLeft
    case .memberLeftNotification: .groupMemberLeftNotification
    case .inviteResponse: .groupInviteResponse
    case .contentDeletion: .groupContentDeletion
    }
  }
}

extension GroupUpdate {
  /// How far an update needs the signature of an admin.
  enum Signing {
    case never, optional, always
  }

  var signing: Signing {
    switch self {
    case .invite, .infoChange, .memberChange: .always
    case .contentDeletion: .optional
    case .promotion, .memberLeft, .memberLeftNotification, .inviteResponse: .never
    }
  }

  /// What the signature of an admin covers; empty where there is none. An invitation is signed for its
  /// `invitee`.
  func signedBytes(sentAt: MessageTime, invitee: SessionID?) -> [UInt8] {
    switch self {
    case .invite:
      Array("INVITE\(invitee?.description ?? "")\(sentAt)".utf8)
    case .infoChange(let change):
      Array("INFO_CHANGE\(change.number)\(sentAt)".utf8)
    case .memberChange(let change):
      Array("MEMBER_CHANGE\(change.number)\(sentAt)".utf8)
    case .contentDeletion(let deletion):
      Array(
        "DELETE_CONTENT\(sentAt)\(deletion.members.map(\.description).joined())\(deletion.messageHashes.joined())"
          .utf8)
    case .promotion, .memberLeft, .memberLeftNotification, .inviteResponse:
      []
    }
  }
}
