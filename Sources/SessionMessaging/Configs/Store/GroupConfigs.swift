public import SessionCore

/// The configs that the members of one group share: its info, its members, and the keys that open both.
///
/// Admins, who hold the group's seed, edit; others read.
public struct GroupConfigs: ~Copyable {
  public let id: SessionID
  let info: GroupInfoConfig
  let members: GroupMembersConfig
  var keys: GroupKeys

  init(
    _ id: SessionID, of account: Account, adminSeed: SecretBytes?, dumps: inout ConfigDumps
  ) throws(SessionError) {
    let info = try dumps.make(.groupInfo) { (dump) throws(SessionError) in
      try GroupInfoConfig(id, adminSeed: adminSeed, dump: dump)
    }
    let members = try dumps.make(.groupMembers) { (dump) throws(SessionError) in
      try GroupMembersConfig(id, adminSeed: adminSeed, dump: dump)
    }
    let keys = try dumps.make(.groupKeys) { (dump) throws(SessionError) in
      try GroupKeys(id, of: account, adminSeed: adminSeed, dump: dump)
    }
    try keys.handOn(to: info.handle, dirty: false)
    try keys.handOn(to: members.handle, dirty: false)
    self.id = id
    self.info = info
    self.members = members
    self.keys = keys
  }

  public var isAdmin: Bool { keys.isAdmin }

  /// Makes the account an admin, with the 32-byte group seed from its promotion.
  public mutating func becomeAdmin(seed: SecretBytes) throws(SessionError) {
    try keys.becomeAdmin(seed: seed)
    try info.handle.sign(with: seed)
    try members.handle.sign(with: seed)
  }

  private func handOnKeys(dirty: Bool) throws(SessionError) {
    try keys.handOn(to: info.handle, dirty: dirty)
    try keys.handOn(to: members.handle, dirty: dirty)
  }
}

// MARK: - Info and members

extension GroupConfigs {
  public func getInfo() throws(SessionError) -> GroupInfo { try info.get() }

  /// Changes the info. Throws ``SessionError/Code/configReadOnly`` unless the account is an admin.
  public mutating func updateInfo(_ change: (inout GroupInfo) -> Void) throws(SessionError) {
    try info.update(change)
  }

  public var memberCount: Int {
    get throws(SessionError) { try members.count }
  }

  public func member(_ id: SessionID) throws(SessionError) -> GroupMember? { try members[id] }

  /// All members, in ascending order of their ids, including those about to be removed.
  public func allMembers() throws(SessionError) -> [GroupMember] { try members.all() }

  /// Changes a member, or adds one to be invited. Throws ``SessionError/Code/configReadOnly`` unless the account is
  /// an admin.
  public mutating func updateMember(
    _ id: SessionID, _ change: (inout GroupMember) -> Void
  ) throws(SessionError) {
    try members.update(id, change)
  }

  /// Removes a member, who can still read until there is a new key. Returns true if they were a member.
  @discardableResult
  public mutating func removeMember(_ id: SessionID) throws(SessionError) -> Bool { try members.remove(id) }
}

// MARK: - Keys

extension GroupConfigs {
  /// The generation of the newest key; nil when there is none.
  public var generation: Int64? { keys.generation }

  /// True while a new key was created but not retrieved yet: others may not have it.
  public var isRekeying: Bool { keys.pending != nil }

  /// True if an admin must rekey, because two others did at once with different members. Check after all messages of
  /// a poll were merged.
  public var needsRekey: Bool { keys.needsRekey }

  /// The keys to try when opening messages of the group, newest first. The first one seals new messages.
  public func messageKeys() throws(SessionError) -> [SecretBytes] { try keys.all() }

  /// Creates a new key for all members; members about to be removed still get it until they are gone. The next push
  /// stores it, with the info and the members.
  public mutating func rekey() throws(SessionError) {
    try keys.rekey(for: try allMembers().map(\.id))
    try handOnKeys(dirty: true)
  }

  /// Returns a message that gives new members all existing keys, to be stored among the group's keys.
  public func supplement(for members: [SessionID]) throws(SessionError) -> [UInt8] {
    try keys.supplement(for: members)
  }

  /// Returns the credentials with which a member accesses the group's swarm. Send them to that member only.
  public func grantAccess(to member: SessionID) throws(SessionError) -> SecretBytes {
    try keys.grantAccess(to: member)
  }

  /// Returns the token by which the swarm identifies a member's access, used to revoke it.
  public func accessToken(of member: SessionID) throws(SessionError) -> [UInt8] {
    try keys.accessToken(of: member)
  }
}

// MARK: - Synchronisation

extension GroupConfigs {
  mutating func mergeKeys(_ messages: [ConfigMessage], at now: MessageTime) throws(SessionError)
    -> ConfigMerge
  {
    let version = keys.version
    var rejected: [ConfigMerge.Rejection] = []
    for message in messages {
      do throws(SessionError) {
        try keys.load(message, at: now)
      } catch {
        rejected.append(ConfigMerge.Rejection(hash: message.hash, error: error))
      }
    }
    try handOnKeys(dirty: false)
    let isSame = keys.version == version
    return ConfigMerge(
      effect: isSame ? .kept : .adopted, rejected: rejected, changes: isSame ? [] : [.groupKeys(id)],
      needsRekey: needsRekey)
  }
}
