import SessionCore

/// What comes in: the inboxes of an account, and what they share.
final class Inbox: AccountPart {
  let context: AccountContext
  let intake = IntakeBoard()
  let ofAccount: AccountInbox

  init(_ context: AccountContext, _ author: ConfigAuthor, _ typists: Typists) {
    self.context = context
    ofAccount = AccountInbox(context, author, typists, intake)
  }
}
