import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Sends messages and everything that belongs to them: seals them, and delivers them with jobs.
final class Outbox: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  let files: Files
  /// The conversations in which we are typing.
  let ownTyping = OwnTyping()

  var handlers: [JobHandler] { [makeDelivery(), makeAttachmentSending(), makeReceiptSending()] }

  init(_ context: AccountContext, _ author: ConfigAuthor, _ files: Files) {
    self.context = context
    self.author = author
    self.files = files
  }
}
