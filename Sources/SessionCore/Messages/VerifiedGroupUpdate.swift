internal import CSessionCore

/// A group update that is proven to come from somebody who may tell it.
public struct VerifiedGroupUpdate: Equatable, Sendable {
  public enum Authority: Hashable, Sendable {
    /// Somebody who holds the group's secret.
    case admin
    /// A member, who speaks for themselves: of a deletion, only what they wrote is meant.
    case member(SessionID)
  }

  public let update: GroupUpdate
  public let group: SessionID
  public let authority: Authority

  fileprivate init(_ update: GroupUpdate, of group: SessionID, by authority: Authority) {
    self.update = update
    self.group = group
    self.authority = authority
  }
}

extension GroupUpdateMessage {
  /// Believes the update, or says which rule it breaks: who reads it, who is proven to have sent it, where it
  /// was found, and when it was sent decide.
  public func verify(
    for reader: Account, from sender: SessionID, in place: MessagePlace, sentAt: MessageTime
  ) throws(SessionError) -> VerifiedGroupUpdate {
    switch (claim, place) {
    case (.invite(let invite), .contact):
      try verifySignature(of: invite.group, sentAt: sentAt, invitee: reader.id)
      try invite.verifyAccess(of: reader)
      return VerifiedGroupUpdate(claim, of: invite.group, by: .admin)
    case (.promotion(let promotion), .contact):
      return VerifiedGroupUpdate(claim, of: promotion.key.group, by: .admin)
    case (.invite, _), (.promotion, _), (_, .contact), (_, .community), (_, .inbox):
      throw SessionError(.groupUpdatePlace)
    case (.infoChange, .group(let group)), (.memberChange, .group(let group)):
      try verifySignature(of: group, sentAt: sentAt)
      return VerifiedGroupUpdate(claim, of: group, by: .admin)
    case (.contentDeletion(let deletion), .group(let group)):
      guard adminSignature == nil else {
        try verifySignature(of: group, sentAt: sentAt)
        return VerifiedGroupUpdate(claim, of: group, by: .admin)
      }
      let own = try deletion.ofOwnContent(by: sender)
      return VerifiedGroupUpdate(.contentDeletion(own), of: group, by: .member(sender))
    case (.memberLeft, .group(let group)), (.memberLeftNotification, .group(let group)),
      (.inviteResponse, .group(let group)):
      return VerifiedGroupUpdate(claim, of: group, by: .member(sender))
    }
  }

  private func verifySignature(
    of group: SessionID, sentAt: MessageTime, invitee: SessionID? = nil
  ) throws(SessionError) {
    let signed = claim.signedBytes(sentAt: sentAt, invitee: invitee)
    do {
      try Signature.verify(adminSignature ?? [], of: signed, by: group.key)
    } catch {
      throw SessionError(.groupSignature)
    }
  }
}

extension GroupInvite {
  fileprivate func verifyAccess(of reader: Account) throws(SessionError) {
    do {
      try reader.verifyAccess(authData, to: group)
    } catch {
      throw SessionError(.groupAccess)
    }
  }
}

extension GroupContentDeletion {
  /// What of the deletion somebody without the group's secret may ask for.
  fileprivate func ofOwnContent(by sender: SessionID) throws(SessionError) -> GroupContentDeletion {
    let own = members.filter { $0 == sender }
    try MessageRule.deletionOthers.require(!own.isEmpty || !messageHashes.isEmpty)
    return try GroupContentDeletion(ofMembers: own, messageHashes: messageHashes)
  }
}
