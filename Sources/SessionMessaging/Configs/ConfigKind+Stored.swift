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
  /// The configs of a group that its swarm keeps: its keys open the others.
  static let ofGroup: [ConfigKind] = [.groupKeys, .groupInfo, .groupMembers]
}

extension ConfigPartRecord {
  init(_ part: HeldConfigPart) {
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
