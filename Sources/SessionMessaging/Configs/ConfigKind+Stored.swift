import SessionCore
import SessionStorage

extension ConfigKind {
  /// What it is called in the database, for ever.
  var storedName: String {
    switch self {
    case .groupKeys: "groupKeys"
    case .profile: "profile"
    case .contacts: "contacts"
    case .userGroups: "userGroups"
    case .groupInfo: "groupInfo"
    case .groupMembers: "groupMembers"
    case .conversations: "conversations"
    case .local: "local"
    }
  }

  init?(stored name: String) {
    guard let kind = Self.allCases.first(where: { $0.storedName == name }) else { return nil }
    self = kind
  }

  /// The configs of an account that its swarm keeps.
  static let ofAccount: [ConfigKind] = [.profile, .contacts, .userGroups, .conversations]
}

extension Engine {
  /// Keeps dumps, with the time of the newest message that is in them: that which they had, where it is not given.
  func keep(
    _ dumps: [ConfigDump], storedAt times: [ConfigName: Int64] = [:],
    in transaction: borrowing WriteTransaction
  ) throws {
    for dump in dumps {
      if let time = times[dump.name] { setConfigTime(time, of: dump.name) }
      let owner = dump.name.owner.address
      try transaction.put(
        ConfigDumpRecord(
          dump.name.kind.storedName, of: owner, content: dump.content, at: configTime(of: dump.name)))
      try transaction.keep(
        dump.parts.map(ConfigPartRecord.init), besideDump: dump.name.kind.storedName, of: owner)
    }
  }

  /// Keeps what became of configs: the dumps, the rows that stand for them, and that they are to be pushed.
  func keep(
    _ outcome: ConfigOutcome, storedAt times: [ConfigName: Int64] = [:],
    in transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    try ConfigProjection(engine: self, now: now).apply(outcome.changes, in: transaction)
    try keep(outcome.dumps, storedAt: times, in: transaction)
    for owner in outcome.needsPush { try requestSync(of: owner, in: transaction) }
  }
}

extension ConfigPartRecord {
  fileprivate init(_ part: HeldConfigPart) {
    self.init(
      part.index, of: Whole(part.message, count: part.count), hash: part.hash, content: part.content,
      expiresAt: Int64(clamping: part.expiresAt))
  }
}

extension HeldConfigPart {
  init(_ record: ConfigPartRecord) {
    self.init(
      record.index, of: record.whole.count, message: record.whole.name, hash: record.hash,
      content: record.content, expiresAt: UInt64(clamping: record.expiresAt))
  }
}
