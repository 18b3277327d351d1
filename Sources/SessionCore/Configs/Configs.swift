/// All configs of an account, lent by a ``ConfigStore`` for one reading or one edit.
public struct Configs: ~Copyable, Sendable {
  public var profile: ProfileConfig
  public var contacts: ContactsConfig
  public var conversations: ConversationsConfig
  public var groups: UserGroupsConfig
  public var local: LocalConfig

  let account: Account
  private var opened: [SessionID: OpenGroup] = [:]
  /// Those whose dump could not be read. They are not pushed until what is stored was merged.
  var damaged: [ConfigName: SessionError]

  /// A place for what cannot be copied.
  // Sendable without the compiler's check: only the configs reach it, which cannot be copied either and never give
  // it away.
  final class OpenGroup: @unchecked Sendable {
    var configs: GroupConfigs

    init(_ configs: consuming GroupConfigs) {
      self.configs = configs
    }
  }

  init(_ account: Account, dumps: [ConfigDump]) throws(SessionError) {
    var dumps = ConfigDumps(of: account.id, among: dumps)
    // All are made before any is kept: of what cannot be copied, there is no half of it.
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
  }
}

/// What was kept of the configs of one owner.
struct ConfigDumps {
  private let owner: SessionID
  private var contents: [ConfigKind: [UInt8]] = [:]
  private(set) var damaged: [ConfigName: SessionError] = [:]

  init(of owner: SessionID, among dumps: [ConfigDump]) {
    self.owner = owner
    for dump in dumps where dump.name.owner == owner { contents[dump.name.kind] = dump.content }
  }

  /// Makes a config from its dump, or an empty one when the dump cannot be read.
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
    opened.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Opens the configs of a group, from what was kept of them; once is enough. With the group's seed the account is
  /// an admin.
  public mutating func openGroup(
    _ id: SessionID, adminSeed: SecretBytes? = nil, dumps: [ConfigDump] = []
  ) throws(SessionError) {
    guard opened[id] == nil else { return }
    var dumps = ConfigDumps(of: id, among: dumps)
    opened[id] = OpenGroup(try GroupConfigs(id, of: account, adminSeed: adminSeed, dumps: &dumps))
    damaged.merge(dumps.damaged) { _, new in new }
  }

  /// Forgets the configs of a group on this device.
  public mutating func closeGroup(_ id: SessionID) { opened[id] = nil }

  /// Lends the configs of a group that is open; ``SessionError/Code/notFound`` otherwise.
  public mutating func withGroup<R>(
    _ id: SessionID, _ body: (inout GroupConfigs) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    guard let group = opened[id] else {
      throw SessionError(.notFound, "the configs of this group are not open")
    }
    return try body(&group.configs)
  }
}

extension Configs {
  /// Lends what keeps a config in step; nil for the keys of a group, and for the configs of one that is not open.
  func withHandle<R>(
    _ name: ConfigName, _ body: (borrowing ConfigHandle) throws(SessionError) -> R
  ) throws(SessionError) -> R? {
    switch name.kind {
    case .profile: try body(profile.handle)
    case .contacts: try body(contacts.handle)
    case .conversations: try body(conversations.handle)
    case .userGroups: try body(groups.handle)
    case .local: try body(local.handle)
    case .groupInfo:
      try opened[name.owner].map { (group) throws(SessionError) in try body(group.configs.info) }
    case .groupMembers:
      try opened[name.owner].map { (group) throws(SessionError) in try body(group.configs.members) }
    case .groupKeys: nil
    }
  }

  func withKeys<R>(
    of group: SessionID, _ body: (borrowing GroupKeys) throws(SessionError) -> R
  ) throws(SessionError) -> R? {
    try opened[group].map { (group) throws(SessionError) in try body(group.configs.keys) }
  }

  func changes(in name: ConfigName, _ paths: [ConfigPath]) throws(SessionError) -> [ConfigChange] {
    switch name.kind {
    case .profile: try profile.changes(paths)
    case .contacts: try contacts.changes(paths)
    case .conversations: try conversations.changes(paths)
    case .userGroups: try groups.changes(paths)
    case .groupInfo, .groupMembers: try opened[name.owner]?.configs.changes(name.kind, paths) ?? []
    case .groupKeys, .local: []
    }
  }

  /// All configs there are, those of the account first, and each swarm's in the order in which they are stored.
  var names: [ConfigName] {
    let own = ConfigKind.allCases.filter { !$0.isOfGroup }.map { ConfigName($0, of: account.id) }
    let ofGroups = openGroups.flatMap { group in
      ConfigKind.allCases.filter(\.isOfGroup).map { ConfigName($0, of: group) }
    }
    return own + ofGroups
  }
}
