import SessionCore
import SessionJobs
import SessionStorage

/// A verified invitation to a group, or promotion to admin, kept as a job until a program with a handler for its kind
/// runs it.
struct GroupInvitation: JobKind {
  static let kind = "groupInvitation"
  static let queue = JobQueue("groups")
  /// The number of invitations kept; further ones are dropped.
  static let limit = 200

  let group: SessionID
  let sender: SessionID
  /// Milliseconds since 1970.
  let sentAt: Int64
  /// The sealed message, in base64.
  let message: String

  var uniqueKey: String? { "\(group) \(sentAt)" }
}

extension MessageReceiver {
  /// Stores an invitation or promotion. Other group messages do not belong here.
  func hold(_ received: ReceivedMessage, in transaction: borrowing WriteTransaction) throws -> Verdict {
    guard let update = try received.verifiedGroupUpdate(for: context.account) else {
      return .dropped(.unsupported)
    }
    let invitation = GroupInvitation(
      group: update.group, sender: received.sender, sentAt: received.sentAt.stored,
      message: try received.message.bytes().base64)
    let kept = try transaction.keptInvitations()
    guard !kept.contains(invitation.uniqueKey ?? "") else { return .duplicate }
    guard kept.count < GroupInvitation.limit else { return .dropped(.unwanted) }
    try transaction.enqueue(invitation, at: context.jobTime)
    return .kept
  }
}

private enum InvitationStatements {
  static let keys: SQL = "SELECT uniqueKey FROM job WHERE kind = ?"
}

extension Reading where Self: ~Copyable {
  fileprivate func keptInvitations() throws -> [String] {
    try values(InvitationStatements.keys, GroupInvitation.kind)
  }
}
