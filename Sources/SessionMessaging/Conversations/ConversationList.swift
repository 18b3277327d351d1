import SessionCore
import SessionStorage

/// The conversations of an account as they are listed: how far they were read, and how they are arranged.
final class ConversationList: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  let outbox: Outbox
  let people: People
  /// Who types now, and until when that is believed.
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
