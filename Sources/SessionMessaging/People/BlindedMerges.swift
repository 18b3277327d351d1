import SessionCore
import SessionStorage

/// Conversations with people under the ids that they have in communities, which become those with their accounts: a message
/// has proven which accounts these are.
struct BlindedMerges: Sendable {
  private struct Merge: Sendable {
    let blinded: SessionID
    let route: BlindedRoute
    let account: SessionID
  }

  private let merges: [Merge]

  /// Finds the conversations with the senders of messages, and adds these people to the contacts: we have written to them.
  init(
    provenBy arrivals: [Arrival], into configs: inout Configs, _ context: AccountContext, at now: MessageTime
  ) throws {
    let own = context.own
    self = try context.database.read { transaction in
      try BlindedMerges(provenBy: arrivals, own: own, transaction)
    }
    for merge in merges where try configs.contacts[merge.account]?.isApproved != true {
      let (contact, profile) = try context.database.read { transaction in
        let known = try transaction.profile(merge.account.address)
        return (
          try transaction.contact(merge.account.address),
          try known ?? transaction.profile(merge.blinded.address)
        )
      }
      try configs.contacts.approve(merge.account, contact, profile, at: now)
    }
  }

  private init(
    provenBy arrivals: [Arrival], own: SessionID, _ transaction: borrowing ReadTransaction
  ) throws {
    let writers = Set(arrivals.compactMap(\.received).filter(\.provesWriter).map(\.sender)).subtracting([own])
    var merges: [Merge] = []
    let unresolved = try writers.isEmpty ? [] : transaction.unresolvedBlindedIDs()
    for writer in writers.sorted() where try transaction.contact(writer.address)?.isBlocked != true {
      let rows = try transaction.blindedIDs(of: writer.address) + unresolved.filter { try $0.isOf(writer) }
      for row in rows {
        guard let id = SessionID(row.blindedID), try transaction.thread(at: id.address) != nil else {
          continue
        }
        let route = BlindedRoute(server: row.server, serverKey: row.serverKey, account: writer)
        merges.append(Merge(blinded: id, route: route, account: writer))
      }
    }
    self.merges = merges
  }

  func apply(in transaction: borrowing WriteTransaction, at now: MessageTime) throws {
    for merge in merges {
      try transaction.put(merge.route, to: merge.blinded)
      guard let old = try transaction.thread(at: merge.blinded.address) else { continue }
      let thread = try transaction.openThread(merge.account, at: now, createdAt: old.createdAt)
      try transaction.merge(old, into: thread.id)
      try transaction.deleteContact(merge.blinded.address)
      try transaction.tell(.conversationDeleted, MessengerEvent.Content(in: old), at: now)
      try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
    }
  }
}

extension BlindedIDRecord {
  /// True if it is an id of this account.
  fileprivate func isOf(_ account: SessionID) throws -> Bool {
    guard let id = SessionID(blindedID) else { return false }
    return try account.blinded(on: serverKey).contains(id)
  }
}

extension ReceivedMessage {
  /// True for a message by which somebody writes to us, or accepts that we do.
  fileprivate var provesWriter: Bool {
    guard sender.kind == .standard else { return false }
    return switch message.content {
    case .visible, .messageRequestResponse: true
    default: false
    }
  }
}
