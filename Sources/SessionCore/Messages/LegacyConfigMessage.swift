internal import CSessionCore

/// A config as old clients carried it inside a message. It is read, and no longer sent.
public struct LegacyConfigMessage: Hashable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case userProfile, contacts, conversations, groups
  }

  public let kind: Kind
  public let sequence: Int64
  public let data: [UInt8]

  public init(_ kind: Kind, sequence: Int64, data: [UInt8]) {
    self.kind = kind
    self.sequence = sequence
    self.data = data
  }
}

extension LegacyConfigMessage {
  init(_ config: sc_legacy_config_body) {
    let kind: Kind =
      switch config.kind {
      case SC_LEGACY_CONFIG_USER_PROFILE: .userProfile
      case SC_LEGACY_CONFIG_CONTACTS: .contacts
      case SC_LEGACY_CONFIG_CONVERSATIONS: .conversations
      default: .groups
      }
    self.init(kind, sequence: config.sequence, data: Array(config.data.content))
  }

  func core(in arena: CoreArena) -> sc_legacy_config_body {
    let kind =
      switch kind {
      case .userProfile: SC_LEGACY_CONFIG_USER_PROFILE
      case .contacts: SC_LEGACY_CONFIG_CONTACTS
      case .conversations: SC_LEGACY_CONFIG_CONVERSATIONS
      case .groups: SC_LEGACY_CONFIG_GROUPS
      }
    return sc_legacy_config_body(kind: kind, sequence: sequence, data: arena.bytes(data))
  }
}
