internal import CSessionCore

/// A message about a group between its admins and members.
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

extension GroupUpdate: CoreValue {
  init(_ update: sc_group_update) throws(SessionError) {
    switch update.kind {
    case SC_MESSAGE_GROUP_INVITE: self = .invite(try GroupInvite(update.of.invite))
    case SC_MESSAGE_GROUP_PROMOTION: self = .promotion(try GroupPromotion(update.of.promotion))
    case SC_MESSAGE_GROUP_INFO_CHANGE: self = .infoChange(GroupInfoChange(update.of.info))
    case SC_MESSAGE_GROUP_MEMBER_CHANGE: self = .memberChange(GroupMemberChange(update.of.members))
    case SC_MESSAGE_GROUP_MEMBER_LEFT: self = .memberLeft
    case SC_MESSAGE_GROUP_MEMBER_LEFT_NOTIFICATION: self = .memberLeftNotification
    case SC_MESSAGE_GROUP_INVITE_RESPONSE: self = .inviteResponse
    default: self = .contentDeletion(GroupContentDeletion(update.of.deletion))
    }
  }

  func core(in arena: CoreArena) -> sc_group_update {
    var update = sc_group_update()
    update.kind = kind.core
    switch self {
    case .invite(let invite): update.of.invite = invite.core(in: arena)
    case .promotion(let promotion): update.of.promotion = promotion.core(in: arena)
    case .infoChange(let change): update.of.info = change.core(in: arena)
    case .memberChange(let change): update.of.members = change.core(in: arena)
    case .contentDeletion(let deletion): update.of.deletion = deletion.core(in: arena)
    case .memberLeft, .memberLeftNotification, .inviteResponse: break
    }
    return update
  }

  /// Throws if it breaks a rule of its kind; does not check its signature.
  func check() throws(SessionError) {
    try MessageRule.check(withCore { sc_group_update_check($0) })
  }
}
