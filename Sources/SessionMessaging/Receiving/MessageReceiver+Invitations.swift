import SessionCore
import SessionStorage

extension MessageReceiver {
  /// Writes the rows of an invitation or promotion that was judged with the configs.
  func receiveInvitation(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard case .groupUpdate(let update) = received.message.content, let hash = arrival.hash else {
      return .dropped(.unsupported)
    }
    switch invitations.verdicts[hash] {
    case .taken(let taken)?:
      try takeProfile(received, in: transaction)
      try transaction.insert(
        taken,
        of: GroupInvitation(update: update, sender: received.sender, sentAt: received.sentAt),
        hash: hash, profile: invitations.profile, at: now, context)
      return .kept
    case .dropped(let reason)?: return .dropped(reason)
    case .known?: return .duplicate
    case nil: return .dropped(.unsupported)
    }
  }
}
