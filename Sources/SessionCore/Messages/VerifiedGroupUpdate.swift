internal import CSessionCore

/// A group update whose sender is proven to be authorised.
public struct VerifiedGroupUpdate: Equatable, Sendable {
  public enum Authority: Hashable, Sendable {
    /// An admin, who holds the group's secret key.
    case admin
    /// A member: a deletion affects only their own messages.
    case member(SessionID)
  }

  public let update: GroupUpdate
  public let group: SessionID
  public let authority: Authority
}

extension GroupUpdateMessage {
  /// Verifies the update for its reader, proven sender, place and send time. Throws the rule that it breaks.
  public func verify(
    for reader: Account, from sender: SessionID, in place: MessagePlace, sentAt: MessageTime
  ) throws(SessionError) -> VerifiedGroupUpdate {
    var group: SessionID?
    if case .group(let id) = place { group = id }
    let arena = CoreArena()
    defer { withExtendedLifetime(arena) {} }
    var found = sc_group_evidence(
      place: place.core, group: arena.list([group].compactMap { $0?.core }),
      sender: arena.list([sender.core]), sent_ms: sentAt.milliseconds)
    var (update, verified) = (core(in: arena), sc_verified_group_update())
    try reader.withKeys { (keys) throws(SessionError) in
      try MessageRule.call { sc_group_update_verify(&verified, nil, &update, &found, keys, $0) }
    }
    return VerifiedGroupUpdate(
      update: try GroupUpdate(verified.update), group: SessionID(verified.group),
      authority: verified.is_by_admin ? .admin : .member(sender))
  }
}
