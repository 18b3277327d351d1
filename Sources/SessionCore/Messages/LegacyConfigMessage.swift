internal import CSessionCore

/// A config inside a message, as old clients sent it. Read, but no longer sent.
public struct LegacyConfigMessage: Hashable, Sendable, CoreValue {
  public enum Kind: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_legacy_config_kind
    case userProfile = 1
    case contacts, conversations, groups
  }

  public let kind: Kind
  public let sequence: Int64
  public let data: [UInt8]

  public init(_ kind: Kind, sequence: Int64, data: [UInt8]) {
    self.kind = kind
    self.sequence = sequence
    self.data = data
  }

  init(_ config: sc_legacy_config_body) {
    self.init(Kind(config.kind), sequence: config.sequence, data: Array(config.data.content))
  }

  func core(in arena: CoreArena) -> sc_legacy_config_body {
    sc_legacy_config_body(kind: kind.core, sequence: sequence, data: arena.bytes(data))
  }
}
