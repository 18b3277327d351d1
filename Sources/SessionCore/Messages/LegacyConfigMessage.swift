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
  init(_ fields: Sc__SharedConfigMessage) {
    let kind: Kind =
      switch fields.kind {
      case SC__SHARED_CONFIG_MESSAGE__KIND__USER_PROFILE: .userProfile
      case SC__SHARED_CONFIG_MESSAGE__KIND__CONTACTS: .contacts
      case SC__SHARED_CONFIG_MESSAGE__KIND__CONVO_INFO_VOLATILE: .conversations
      default: .groups
      }
    self.init(kind, sequence: fields.seqno, data: fields.data.bytes)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__SharedConfigMessage> {
    let fields = arena.make(sc__shared_config_message__init)
    fields.pointee.kind =
      switch kind {
      case .userProfile: SC__SHARED_CONFIG_MESSAGE__KIND__USER_PROFILE
      case .contacts: SC__SHARED_CONFIG_MESSAGE__KIND__CONTACTS
      case .conversations: SC__SHARED_CONFIG_MESSAGE__KIND__CONVO_INFO_VOLATILE
      case .groups: SC__SHARED_CONFIG_MESSAGE__KIND__USER_GROUPS
      }
    fields.pointee.seqno = sequence
    fields.pointee.data = arena.data(data)
    return fields
  }
}
