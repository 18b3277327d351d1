import SessionCore
import SessionJobs

/// Receives messages: the inboxes of an account and of its groups, and their shared state.
final class Inbox: AccountPart {
  let context: AccountContext
  let receiving = ReceivingBoard()
  private let author: ConfigAuthor
  private let ratchet: Ratchet
  private let typists: Typists

  var handlers: [JobHandler] { [makeBrokenMessage()] }

  init(
    _ context: AccountContext, _ author: ConfigAuthor, _ ratchet: Ratchet, _ typists: Typists
  ) {
    self.context = context
    self.author = author
    self.ratchet = ratchet
    self.typists = typists
  }

  /// Creates the inbox of an owner's swarm.
  func makeInbox(of owner: SessionID) -> OwnerInbox {
    OwnerInbox(InboxPlan(of: owner), context, author, ratchet, typists, receiving)
  }

  /// Creates the inbox of the rooms of a community server.
  func makeInbox(ofServer url: String) -> RoomInbox {
    RoomInbox(server: url, context: context, typists: typists)
  }

  /// Creates that of the messages between two people on a community server.
  func makeLetterInbox(ofServer url: String) -> LetterInbox {
    LetterInbox(server: url, context: context, author: author, typists: typists)
  }
}
