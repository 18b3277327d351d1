internal import CSessionCore

/// A group update as a message carries it: claimed, and to be believed only once
/// ``verify(for:from:in:sentAt:)`` has given it out.
public struct GroupUpdateMessage: Equatable, Sendable {
  let claim: GroupUpdate
  let adminSignature: [UInt8]?
  /// How the sender wants to be shown.
  public let profile: MessageProfile?

  public var kind: MessageKind { claim.kind }

  /// An update that needs no signature.
  public init(_ update: GroupUpdate, profile: MessageProfile? = nil) throws(SessionError) {
    try MessageRule.groupSignatureMissing.require(update.signing != .always)
    try self.init(update, signature: nil, profile: profile)
  }

  /// An update that an admin signs, for the one message that is sent at this time.
  public init(
    signing update: GroupUpdate, with key: GroupAdminKey, sentAt: MessageTime, invitee: SessionID? = nil,
    profile: MessageProfile? = nil
  ) throws(SessionError) {
    if case .invite(let invite) = update {
      try MessageRule.groupInvitee.require(invitee?.kind == .standard)
      try MessageRule.groupID.require(invite.group == key.group)
    }
    let signed = update.signedBytes(sentAt: sentAt, invitee: invitee)
    try self.init(update, signature: update.signing == .never ? nil : key.sign(signed), profile: profile)
  }

  private init(
    _ claim: GroupUpdate, signature: [UInt8]?, profile: MessageProfile?
  ) throws(SessionError) {
    if let signature {
      try MessageRule.groupSignatureSize.require(signature.count == Int(SC_SIGNATURE_BYTES))
    }
    if case .infoChange(let change) = claim {
      self.claim = .infoChange(try change.withUsableName())
    } else {
      self.claim = claim
    }
    self.adminSignature = signature
    self.profile = profile
  }
}

extension GroupUpdateMessage {
  /// The one update among several that counts.
  init(_ fields: Sc__GroupUpdateMessage, of data: Sc__DataMessage) throws(SessionError) {
    try MessageRule.syncKind.require(data.sync_target == nil)
    let profile = try MessageProfile(data.profile, pictureKey: data.profile_key)
    let claim: GroupUpdate
    var signature: [UInt8]?
    if let invite = fields.invite_message?.pointee {
      claim = .invite(try GroupInvite(invite))
      signature = invite.admin_signature.bytes
    } else if let promotion = fields.promote_message?.pointee {
      claim = .promotion(try GroupPromotion(promotion))
    } else if let change = fields.info_change_message?.pointee {
      claim = .infoChange(try GroupInfoChange(change))
      signature = change.admin_signature.bytes
    } else if let change = fields.member_change_message?.pointee {
      claim = .memberChange(try GroupMemberChange(change))
      signature = change.admin_signature.bytes
    } else if fields.member_left_message != nil {
      claim = .memberLeft
    } else if fields.member_left_notification_message != nil {
      claim = .memberLeftNotification
    } else if let response = fields.invite_response?.pointee {
      try MessageRule.groupRefusal.require(response.is_approved != 0)
      claim = .inviteResponse
    } else if let deletion = fields.delete_member_content?.pointee {
      claim = .contentDeletion(try GroupContentDeletion(deletion))
      signature = deletion.has_admin_signature != 0 ? deletion.admin_signature.bytes : nil
    } else {
      throw SessionError(.groupUpdateEmpty)
    }
    try self.init(claim, signature: signature, profile: profile)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__DataMessage> {
    let data = DataMessageFrame(profile: profile).write(to: arena)
    let fields = arena.make(sc__group_update_message__init)
    let signature = adminSignature ?? []
    switch claim {
    case .invite(let invite):
      fields.pointee.invite_message = invite.write(to: arena, signature: signature)
    case .promotion(let promotion):
      fields.pointee.promote_message = promotion.write(to: arena)
    case .infoChange(let change):
      fields.pointee.info_change_message = change.write(to: arena, signature: signature)
    case .memberChange(let change):
      fields.pointee.member_change_message = change.write(to: arena, signature: signature)
    case .memberLeft:
      fields.pointee.member_left_message = arena.make(sc__group_update_member_left_message__init)
    case .memberLeftNotification:
      fields.pointee.member_left_notification_message = arena.make(
        sc__group_update_member_left_notification_message__init)
    case .inviteResponse:
      fields.pointee.invite_response = arena.make(sc__group_update_invite_response_message__init)
      fields.pointee.invite_response.pointee.is_approved = 1
    case .contentDeletion(let deletion):
      fields.pointee.delete_member_content = deletion.write(to: arena, signature: adminSignature)
    }
    data.pointee.group_update_message = fields
    return data
  }
}
