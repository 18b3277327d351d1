public import SessionCore

/// All configs of an account, lent by a ``ConfigStore`` for one read or one edit.
///
/// They are lent to one thread at a time, so nothing in here is `Sendable`.
public struct Configs: ~Copyable {
  public var profile: ProfileConfig
  public var contacts: ContactsConfig
  public var conversations: ConversationsConfig
  public var groups: UserGroupsConfig
  public var local: LocalConfig

  let account: Account
  var opened: [SessionID: OpenGroup] = [:]
  /// Open groups that are not stored yet, and in no config of the account.
  var unlisted: Set<SessionID> = []
  /// Configs whose dump could not be read. They are neither pushed nor dumped until the stored messages have been
  /// seen.
  var damaged: [ConfigName: SessionError]
  /// Repaired configs, until a good dump of them exists.
  var mended: Set<ConfigName> = []
  /// The unseen edits of each merged config.
  var edits: [ConfigName: ConfigEdits] = [:]
  /// The current attempt, if any.
  var attempt: Attempt?

  /// A box for a noncopyable value.
  final class OpenGroup {
    var configs: GroupConfigs

    init(_ configs: consuming GroupConfigs) {
      self.configs = configs
    }
  }

  init(_ account: Account, dumps: [ConfigDump]) throws(SessionError) {
    var dumps = ConfigDumps(of: account.id, among: dumps)
    // All configs are created before any is stored: a noncopyable value cannot be partly initialised.
    let profile = try dumps.make(.profile) { (dump) throws(SessionError) in
      try ProfileConfig(account, dump: dump)
    }
    let contacts = try dumps.make(.contacts) { (dump) throws(SessionError) in
      try ContactsConfig(account, dump: dump)
    }
    let conversations = try dumps.make(.conversations) { (dump) throws(SessionError) in
      try ConversationsConfig(account, dump: dump)
    }
    let groups = try dumps.make(.userGroups) { (dump) throws(SessionError) in
      try UserGroupsConfig(account, dump: dump)
    }
    let local = try dumps.make(.local) { (dump) throws(SessionError) in try LocalConfig(dump: dump) }
    self.profile = profile
    self.contacts = contacts
    self.conversations = conversations
    self.groups = groups
    self.local = local
    self.account = account
    damaged = dumps.damaged
    hold(dumps.parts)
    noteEdits(of: account.id)
  }

  /// Restores the parts that were saved with dumps.
  private func hold(_ parts: [ConfigName: [HeldConfigPart]]) {
    for (name, parts) in parts {
      try? withHandle(name) { (handle) throws(SessionError) in
        for part in parts { handle.hold(part) }
      }
    }
  }

  private mutating func noteEdits(of owner: SessionID) {
    for name in names(of: owner) where name.kind.isMerged {
      if let edits = try? withHandle(name, { ConfigEdits(of: $0) }) { self.edits[name] = edits }
    }
  }
}

/// The saved configs of one owner.
struct ConfigDumps {
  private let owner: SessionID
  private var contents: [ConfigKind: [UInt8]] = [:]
  /// The parts saved with the dumps.
  private(set) var parts: [ConfigName: [HeldConfigPart]] = [:]
  private(set) var damaged: [ConfigName: SessionError] = [:]

  init(of owner: SessionID, among dumps: [ConfigDump]) {
    self.owner = owner
    for dump in dumps where dump.name.owner == owner {
      contents[dump.name.kind] = dump.content
      if !dump.parts.isEmpty { parts[dump.name] = dump.parts }
    }
  }

  /// Restores a config from its dump, or creates an empty one if the dump cannot be read.
  mutating func make<Config: ~Copyable>(
    _ kind: ConfigKind, _ make: ([UInt8]) throws(SessionError) -> Config
  ) throws(SessionError) -> Config {
    do throws(SessionError) {
      return try make(contents[kind] ?? [])
    } catch {
      guard error.code == .configDump else { throw error }
      damaged[ConfigName(kind, of: owner)] = error
      return try make([])
    }
  }
}

extension Configs {
  /// The groups whose configs are open, in ascending order of their ids.
  public var openGroups: [SessionID] {
    opened.keys.sorted()
  }

  /// True if the configs of a group are open.
  public func isOpen(_ group: SessionID) -> Bool { opened[group] != nil }

  /// Opens the configs of a group from their dumps, if they are not open yet. With the group's seed the account is an
  /// admin.
  public mutating func openGroup(
    _ id: SessionID, adminSeed: SecretBytes? = nil, dumps: [ConfigDump] = []
  ) throws(SessionError) {
    guard opened[id] == nil else { return }
    var dumps = ConfigDumps(of: id, among: dumps)
    opened[id] = OpenGroup(try GroupConfigs(id, of: account, adminSeed: adminSeed, dumps: &dumps))
    damaged.merge(dumps.damaged) { _, new in new }
    hold(dumps.parts)
    noteEdits(of: id)
  }

  /// Opens the configs of a group that this device creates. They stay open until the account's configs list the group,
  /// or it is closed.
  mutating func openUnlistedGroup(
    with key: GroupAdminKey, dumps: [ConfigDump] = []
  ) throws(SessionError) {
    try openGroup(key.group, adminSeed: key.seed, dumps: dumps)
    unlisted.insert(key.group)
  }

  /// Opens all groups that the account is in, except those that only invited it, removed it or were destroyed. If it
  /// was promoted, it becomes an admin of an open group; a seed of another group is ignored.
  public mutating func openJoinedGroups(dumps: [ConfigDump] = []) throws(SessionError) {
    for group in try groups.groups() where group.isJoined {
      let seed = group.adminKey?.seed
      do {
        try openGroup(group.id, adminSeed: seed, dumps: dumps)
      } catch {
        // No group has such an id. It keeps no other group from being opened.
        guard error.code == .keyInvalid else { throw error }
        continue
      }
      guard let seed, try !readGroup(group.id, { $0.isAdmin }) else { continue }
      try withGroup(group.id) { (group) throws(SessionError) in try group.becomeAdmin(seed: seed) }
    }
  }

  /// Opens the groups that the account has joined, and closes those that it has left.
  mutating func followMemberships() throws(SessionError) {
    try openJoinedGroups()
    for id in openGroups where try groups[id]?.isJoined != true && !unlisted.contains(id) { closeGroup(id) }
    for id in unlisted where try groups[id] != nil { unlisted.remove(id) }
  }

  /// Forgets the configs of a group on this device.
  public mutating func closeGroup(_ id: SessionID) {
    // If an attempt reopens the group and is rolled back, it returns to the closed state.
    touch(id)
    opened[id] = nil
    unlisted.remove(id)
    damaged = damaged.filter { $0.key.owner != id }
    mended = mended.filter { $0.owner != id }
    edits = edits.filter { $0.key.owner != id }
  }

  /// Lends the configs of an open group for editing. Throws ``SessionError/Code/notFound`` if it is not open.
  public mutating func withGroup<R>(
    _ id: SessionID, _ body: (inout GroupConfigs) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    let group = try openGroup(id)
    touch(id)
    return try body(&group.configs)
  }

  /// Lends the configs of an open group for reading.
  public func readGroup<R>(
    _ id: SessionID, _ body: (borrowing GroupConfigs) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try body(openGroup(id).configs)
  }

  private func openGroup(_ id: SessionID) throws(SessionError) -> OpenGroup {
    guard let group = opened[id] else {
      throw SessionError(.notFound, "the configs of this group are not loaded")
    }
    return group
  }

  /// Records that the stored messages of a config have been seen: from now on, edits build on them.
  mutating func mend(_ name: ConfigName) {
    if damaged.removeValue(forKey: name) != nil { mended.insert(name) }
  }
}

extension Configs {
  /// Lends the handle of a config. Throws ``SessionError/Code/notFound`` for the config of another account, or of a
  /// group that is not open. Group keys have no handle.
  func withHandle<R>(
    _ name: ConfigName, _ body: (borrowing ConfigHandle) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    if name.kind.isOfGroup {
      let group = try openGroup(name.owner)
      switch name.kind {
      case .groupInfo: return try body(group.configs.info.handle)
      case .groupMembers: return try body(group.configs.members.handle)
      default: throw SessionError(.argument, "group keys are synchronised by their own messages")
      }
    }
    guard name.owner == account.id else {
      throw SessionError(.notFound, "this config belongs to another account")
    }
    return switch name.kind {
    case .contacts: try body(contacts.handle)
    case .conversations: try body(conversations.handle)
    case .userGroups: try body(groups.handle)
    case .local: try body(local.handle)
    default: try body(profile.handle)
    }
  }

  /// The changes in a config.
  func changes(in name: ConfigName, _ paths: [ConfigPath]) -> [ConfigChange] {
    switch name.kind {
    case .profile: profile.changes(paths)
    case .contacts: contacts.changes(paths)
    case .conversations: conversations.changes(paths)
    case .userGroups: groups.changes(paths)
    case .groupInfo, .groupMembers: opened[name.owner]?.configs.changes(name.kind, paths) ?? []
    case .groupKeys, .local: []
    }
  }

  /// All configs of an account or an open group, in the order in which they are stored.
  func names(of owner: SessionID) -> [ConfigName] {
    let isGroup = opened[owner] != nil
    guard isGroup || owner == account.id else { return [] }
    return ConfigKind.allCases.filter { $0.isOfGroup == isGroup }.map { ConfigName($0, of: owner) }
  }

  /// The account and the open groups.
  var owners: [SessionID] { [account.id] + openGroups }

  var allNames: [ConfigName] { owners.flatMap { names(of: $0) } }
}

extension ConfigKind {
  /// True for a document that can be merged: not for group keys, nor for the local config.
  fileprivate var isMerged: Bool { self != .groupKeys && self != .local }
}
