import SessionCore
import SessionStorage

extension ConfigKind {
  /// The name in the database. It never changes.
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

  /// The configs of an account that are stored in its swarm.
  static let ofAccount: [ConfigKind] = [.profile, .contacts, .userGroups, .conversations]
  /// The configs of a group that are stored in its swarm. The keys come first because they open the others.
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
