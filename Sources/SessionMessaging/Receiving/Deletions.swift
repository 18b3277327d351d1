import SessionCore
import SessionStorage

/// The times when conversations were deleted or hidden: older messages do not bring them back.
///
/// A deletion outdates everything sent before it, except messages that make sense without the conversation. Hiding
/// outdates visible messages only, and a newer one shows the conversation again. Only a tombstone tells when that was.
/// The age of the configs does not, because any later change renews it: without a tombstone nothing is outdated.
struct Deletions: Sendable {
  private enum End: Sendable {
    case deleted(Int64)
    case hidden(Int64)
  }

  /// The allowed clock difference between a sender and the device that deleted, in milliseconds.
  static let tolerance: Int64 = 120_000

  private var ends: [Conversation.ID: End] = [:]

  init() {}

  /// Reads the deletions of conversations from the configs and the tombstones here.
  init(
    of conversations: some Sequence<Conversation.ID>, in configs: borrowing Configs,
    _ transaction: borrowing ReadTransaction
  ) throws {
    for id in conversations {
      guard let time = try transaction.tombstone(of: id.address)?.at else { continue }
      guard case .person(let person) = id, let contact = try? configs.contacts[person], !contact.isRemnant,
        !contact.isDeclined
      else {
        ends[id] = .deleted(time)
        continue
      }
      if contact.priority == .hidden { ends[id] = .hidden(time) }
    }
  }

  /// True if a message was sent before its conversation was deleted or hidden.
  func outdates(_ message: ReceivedMessage, in conversation: Conversation.ID) -> Bool {
    let kind = message.message.content.kind
    guard kind.traits.isOutdatedByDeletion, let end = ends[conversation] else { return false }
    switch end {
    case .deleted(let time): return message.sentAt.stored <= time - Self.tolerance
    case .hidden(let time):
      return kind == .visible && message.sentAt.stored <= time - Self.tolerance
    }
  }

  /// True if a visible message sent at this time shows the conversation again.
  func shows(_ conversation: Conversation.ID, sentAt time: Int64) -> Bool {
    switch ends[conversation] {
    case nil: true
    case .deleted(let end)?, .hidden(let end)?: time > end - Self.tolerance
    }
  }
}
