internal import CSessionCore

/// Promotes an account to admin of a group, by giving it the group's secret key.
public struct GroupPromotion: Equatable, Sendable {
  public let key: GroupAdminKey
  public let name: String

  public init(with key: GroupAdminKey, name: String) throws(SessionError) {
    self.key = key
    self.name = Name.trimmed(name)
    try GroupUpdate.promotion(self).check()
  }

  init(_ promotion: sc_group_promotion) throws(SessionError) {
    key = try GroupAdminKey(seed: SecretBytes(copying: promotion.seed.content))
    name = promotion.name.text ?? ""
  }

  func core(in arena: CoreArena) -> sc_group_promotion {
    sc_group_promotion(seed: arena.bytes(key.seed), name: arena.text(name))
  }
}
