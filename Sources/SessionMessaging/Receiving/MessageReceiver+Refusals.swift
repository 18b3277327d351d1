import SessionCore
import SessionStorage

// Messages in a room say whether strangers of the community may write to their authors.

private enum RefusalStatements {
  static let newest: SQL =
    "SELECT max(sentAt) FROM interaction WHERE threadID = ? AND author = ? AND kind < 1000"
}

extension MessageReceiver {
  /// Takes down if the author of a message in a room refuses message requests. The newest message counts.
  func takeRefusal(
    _ message: VisibleMessage, _ received: ReceivedMessage, in thread: ThreadRecord?,
    _ transaction: borrowing WriteTransaction
  ) throws {
    guard case .room = source, let thread, !isOwn(received.sender) else { return }
    let (author, refuses) = (received.sender.address, message.blocksCommunityMessageRequests ?? false)
    let known = try transaction.profile(author)
    guard refuses != known?.blocksRequests ?? false else { return }
    let newest: Int64?? = try transaction.value(RefusalStatements.newest, thread.id, author)
    guard received.sentAt.stored >= (newest ?? nil) ?? 0 else { return }
    var profile = known ?? ProfileRecord(author, name: "", updatedAt: 0)
    profile.blocksRequests = refuses
    try transaction.put(profile)
  }
}
