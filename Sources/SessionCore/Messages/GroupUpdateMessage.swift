internal import CSessionCore

/// A group update as claimed by a message. Trust it only after ``verify(for:from:in:sentAt:)`` has returned it.
public struct GroupUpdateMessage: Equatable, Sendable {
  let claim: GroupUpdate
  let adminSignature: [UInt8]?
  public let profile: MessageProfile?

  public var kind: MessageKind { claim.kind }

  /// Creates an update that needs no signature.
  public init(_ update: GroupUpdate, profile: MessageProfile? = nil) throws(SessionError) {
    try self.init(update, signature: nil, profile: profile)
  }

  /// Creates an update signed by an admin, for the one message sent at this time.
  public init(
    signing update: GroupUpdate, with key: GroupAdminKey, sentAt: MessageTime, invitee: SessionID? = nil,
    profile: MessageProfile? = nil
  ) throws(SessionError) {
    try self.init(
      update, signature: key.sign(update, sentAt: sentAt, invitee: invitee), profile: profile)
  }

  private init(
    _ claim: GroupUpdate, signature: [UInt8]?, profile: MessageProfile?
  ) throws(SessionError) {
    self.claim = claim.trimmed
    self.adminSignature = signature
    self.profile = profile
    try MessageContent.groupUpdate(self).check()
  }

  init(_ update: sc_group_update, profile: MessageProfile?) throws(SessionError) {
    claim = try GroupUpdate(update)
    adminSignature = update.signature.ptr == nil ? nil : Array(update.signature.content)
    self.profile = profile
  }

  func core(in arena: CoreArena) -> sc_group_update {
    var update = claim.core(in: arena)
    update.signature = adminSignature.map { arena.bytes($0) } ?? sc_bytes()
    return update
  }
}

extension GroupUpdate {
  /// The update with the name as it is sent.
  fileprivate var trimmed: GroupUpdate {
    guard case .infoChange(.name(let name?)) = self else { return self }
    return .infoChange(.name(Name.trimmed(name)))
  }
}
