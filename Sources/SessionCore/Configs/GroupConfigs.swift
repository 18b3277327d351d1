internal import CSessionCore

/// What the members of one group keep in step: its info, its members, and the keys that open both.
///
/// Admins, who hold the group's seed, edit; others read.
public struct GroupConfigs: ~Copyable {
  public let id: SessionID
  let info: ConfigHandle
  let members: ConfigHandle
  var keys: GroupKeys

  init(
    _ id: SessionID, of account: Account, adminSeed: SecretBytes?, dumps: inout ConfigDumps
  ) throws(SessionError) {
    try id.require(.group)
    let core = id.core
    let info = try dumps.make(.groupInfo) { (dump) throws(SessionError) in
      try ConfigHandle(config: sc_group_info_config, free: sc_group_info_free) {
        (object) throws(SessionError) in
        try adminSeed.withGroupPair { (pair) throws(SessionError) in
          try dump.lend { dump in
            withUnsafePointer(to: core) { sc_group_info_new(object, nil, $0, pair, dump) }
          }
        }
      }
    }
    let members = try dumps.make(.groupMembers) { (dump) throws(SessionError) in
      try ConfigHandle(config: sc_group_members_config, free: sc_group_members_free) {
        (object) throws(SessionError) in
        try adminSeed.withGroupPair { (pair) throws(SessionError) in
          try dump.lend { dump in
            withUnsafePointer(to: core) { sc_group_members_new(object, nil, $0, pair, dump) }
          }
        }
      }
    }
    let keys = try dumps.make(.groupKeys) { (dump) throws(SessionError) in
      try GroupKeys(id, of: account, adminSeed: adminSeed, dump: dump)
    }
    try keys.handOn(to: info.config, dirty: false)
    try keys.handOn(to: members.config, dirty: false)
    self.id = id
    self.info = info
    self.members = members
    self.keys = keys
  }

  public var isAdmin: Bool { keys.isAdmin }

  /// Makes the account an admin, with the group's seed of 32 bytes that it was promoted with.
  public mutating func becomeAdmin(seed: SecretBytes) throws(SessionError) {
    try keys.becomeAdmin(seed: seed)
    let (info, members) = (info.config, members.config)
    try Optional(seed).withGroupPair { (pair) throws(SessionError) in
      try SessionError.check(sc_config_set_signer(info, pair))
      try SessionError.check(sc_config_set_signer(members, pair))
    }
  }

  private func handOnKeys(dirty: Bool) throws(SessionError) {
    try keys.handOn(to: info.config, dirty: dirty)
    try keys.handOn(to: members.config, dirty: dirty)
  }
}

// MARK: - Info

extension GroupConfigs {
  public func getInfo() throws(SessionError) -> GroupInfo { try GroupInfo(info.object) }

  /// Changes the info. Throws ``SessionError/Code/configReadOnly`` unless the account is an admin.
  public mutating func updateInfo(_ change: (inout GroupInfo) -> Void) throws(SessionError) {
    let old = try getInfo()
    var new = old
    change(&new)
    let object = info.object
    let arena = CoreArena()
    defer { withExtendedLifetime(arena) {} }
    if new.name != old.name {
      try SessionError.check(sc_group_info_set_name(object, arena.bytes(new.name.utf8)))
    }
    if new.description != old.description {
      try SessionError.check(sc_group_info_set_description(object, arena.bytes(new.description.utf8)))
    }
    if new.picture != old.picture {
      var picture = arena.picture(new.picture)
      try SessionError.check(sc_group_info_set_picture(object, &picture))
    }
    try SessionError.check(sc_group_info_set_created(object, new.createdAtSeconds))
    try SessionError.check(sc_group_info_set_expiry(object, new.disappearsAfterSeconds))
    try SessionError.check(sc_group_info_set_delete_before(object, new.deletesBeforeSeconds))
    try SessionError.check(
      sc_group_info_set_delete_attachments_before(object, new.deletesAttachmentsBeforeSeconds))
    if new.isDestroyed { try SessionError.check(sc_group_info_destroy(object)) }
  }
}

// MARK: - Members

extension GroupConfigs {
  public var memberCount: Int {
    get throws(SessionError) { try Records.count { sc_group_members_count(&$0, members.object) } }
  }

  public func member(_ id: SessionID) throws(SessionError) -> GroupMember? {
    let members = members.object
    return try Records.one(
      sc_group_member(),
      get: { member in withUnsafePointer(to: id.core) { sc_group_members_get(&member, members, $0) } },
      as: { (member) throws(SessionError) in try Self.shown(member, of: members) })
  }

  /// All members, in ascending order of their ids, with those who are to be removed.
  public func allMembers() throws(SessionError) -> [GroupMember] {
    let members = members.object
    return try Records.all(
      sc_group_member(), first: { sc_group_members_next(&$0, members, nil) },
      next: { member in withUnsafePointer(to: member.id) { sc_group_members_next(&member, members, $0) } },
      as: { (member) throws(SessionError) in try Self.shown(member, of: members) })
  }

  /// Changes a member, or adds one who is to be invited. Throws ``SessionError/Code/configReadOnly`` unless the
  /// account is an admin.
  public mutating func updateMember(
    _ id: SessionID, _ change: (inout GroupMember) -> Void
  ) throws(SessionError) {
    var stored = sc_group_member()
    let members = members.object
    let status = withUnsafePointer(to: id.core) { sc_group_members_get(&stored, members, $0) }
    if status == SC_ERR_NOT_FOUND {
      withUnsafePointer(to: id.core) { sc_group_member_init(&stored, $0) }
    } else {
      try SessionError.check(status)
    }
    let old = try Self.shown(stored, of: members)
    var new = old
    change(&new)
    let arena = CoreArena()
    defer { withExtendedLifetime(arena) {} }
    new.write(to: &stored, over: old, arena: arena)
    try SessionError.check(sc_group_members_set(members, &stored))
  }

  /// Takes a member out; without a new key they can go on reading. Whether they were there.
  @discardableResult
  public mutating func removeMember(_ id: SessionID) throws(SessionError) -> Bool {
    try Records.erase { erased in
      withUnsafePointer(to: id.core) { sc_group_members_erase(&erased, members.object, $0) }
    }
  }

  private static func shown(
    _ member: sc_group_member, of members: OpaquePointer
  ) throws(SessionError) -> GroupMember {
    try GroupMember(member, status: withUnsafePointer(to: member) { sc_group_members_status(members, $0) })
  }
}

// MARK: - Keys

extension GroupConfigs {
  /// The generation of the newest key; nil when there is none.
  public var generation: Int64? { keys.generation }

  /// True if an admin has to rekey, because two others did at once with different members: ask when all messages of a
  /// poll are merged.
  public var needsRekey: Bool { keys.needsRekey }

  /// What messages of the group are sealed with, and tried to be opened with: the first is the newest.
  public func messageKeys() throws(SessionError) -> [SecretBytes] { try keys.all() }

  /// Makes a new key for all members, those who are to be removed aside only once they are gone. It is stored with
  /// the next push, and info and members with it.
  public mutating func rekey() throws(SessionError) {
    try keys.rekey(for: try allMembers().map(\.id))
    try handOnKeys(dirty: true)
  }

  /// The message, to be stored among the group's keys, that gives all keys there are to new members.
  public func supplement(for members: [SessionID]) throws(SessionError) -> [UInt8] {
    try keys.supplement(for: members)
  }

  /// What a member reaches the group's swarm with; to be sent to them alone.
  public func grantAccess(to member: SessionID) throws(SessionError) -> SecretBytes {
    try keys.grantAccess(to: member)
  }

  /// What the swarm knows a member's access by, to revoke it with.
  public func accessToken(of member: SessionID) throws(SessionError) -> [UInt8] {
    try keys.accessToken(of: member)
  }
}

// MARK: - In step

extension GroupConfigs {
  mutating func mergeKeys(_ messages: [ConfigMessage], at now: MessageTime) throws(SessionError)
    -> ConfigMerge
  {
    let version = keys.version
    let rejected = try keys.load(messages, at: now)
    try handOnKeys(dirty: false)
    let isSame = keys.version == version
    return ConfigMerge(
      effect: isSame ? .kept : .adopted, rejected: rejected, changes: isSame ? [] : [.groupKeys(id)],
      needsRekey: needsRekey)
  }

  func changes(_ kind: ConfigKind, _ paths: [ConfigPath]) -> [ConfigChange] {
    var changes: [ConfigChange] = []
    if kind == .groupInfo {
      if !paths.isEmpty { changes.tell { () throws(SessionError) in .groupInfo(id, try getInfo()) } }
      return changes
    }
    for path in paths where path.text(0) == "m" {
      guard let member = path.id(1, .standard) else { continue }
      changes.tell { () throws(SessionError) in .groupMember(member, in: id, try self.member(member)) }
    }
    return changes
  }
}

extension SecretBytes? {
  /// Lends the key pair that a group's seed stands for; nothing where there is no seed.
  func withGroupPair<R>(
    _ body: (UnsafePointer<sc_ed25519_pair>?) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    guard let seed = self else { return try body(nil) }
    guard seed.count == Int(SC_ED25519_SEED_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    return try Core.withWiped(sc_ed25519_pair.self) { (pair) throws(SessionError) in
      seed.withCore { sc_ed25519_pair_from_seed(pair, $0.ptr) }
      return try body(pair)
    }
  }
}
