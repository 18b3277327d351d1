internal import CSessionCore

/// Makes an account an admin of a group, by handing over the group's secret.
public struct GroupPromotion: Equatable, Sendable {
  public let key: GroupAdminKey
  public let name: String

  public init(with key: GroupAdminKey, name: String) throws(SessionError) {
    let name = Name.trimmed(name)
    try MessageRule.groupName.require(Name.isUsable(name))
    self.key = key
    self.name = name
  }
}

extension GroupPromotion {
  init(_ fields: Sc__GroupUpdatePromoteMessage) throws(SessionError) {
    guard let seed = try fields.group_identity_seed.secret() else { throw SessionError(.groupSeed) }
    try self.init(with: GroupAdminKey(seed: seed), name: Name.received(fields.name.requiredText()))
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__GroupUpdatePromoteMessage> {
    let fields = arena.make(sc__group_update_promote_message__init)
    fields.pointee.group_identity_seed = arena.data(key.seed)
    fields.pointee.name = arena.text(name)
    return fields
  }
}
