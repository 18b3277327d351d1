import SessionCore
import SessionStorage

/// The conversation list of an account: read positions, and the order of conversations.
final class ConversationList: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  let outbox: Outbox
  let people: People
  /// People who are typing, and when their indicators expire.
  let typists: Typists

  init(
    _ context: AccountContext, _ author: ConfigAuthor, _ outbox: Outbox, _ people: People, _ typists: Typists
  ) {
    self.context = context
    self.author = author
    self.outbox = outbox
    self.people = people
    self.typists = typists
  }
}
