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
    try self.init(update, signature: nil, profile: profile)
  }

  /// An update that an admin signs, for the one message that is sent at this time.
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
}

extension GroupUpdateMessage {
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
  /// The same with the name as it is sent.
  fileprivate var trimmed: GroupUpdate {
    guard case .infoChange(.name(let name?)) = self else { return self }
    return .infoChange(.name(Name.trimmed(name)))
  }
}
