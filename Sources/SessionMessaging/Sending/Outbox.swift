import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Everything that leaves: messages and what belongs to them is sealed, and jobs bring it where it goes.
final class Outbox: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  let files: Files
  /// Where we type ourselves.
  let ownTyping = OwnTyping()

  var handlers: [JobHandler] { [makeDelivery(), makeAttachmentSending(), makeReceiptSending()] }

  init(_ context: AccountContext, _ author: ConfigAuthor, _ files: Files) {
    self.context = context
    self.author = author
    self.files = files
  }
}
