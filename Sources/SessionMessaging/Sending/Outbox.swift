import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Sends messages and everything that belongs to them: seals them, and delivers them with jobs.
final class Outbox: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  let files: Files
  let ratchet: Ratchet
  /// The conversations in which we are typing.
  let ownTyping = OwnTyping()
  /// Reactions to all servers.
  let reactionPace = SendingPace(limit: 20, period: 60_000)
  /// Posts to each room.
  let postPace = SendingPace(limit: 5, period: 17_000)

  var handlers: [JobHandler] {
    [makeDelivery(), makeAttachmentSending(), makeReceiptSending(), makeRoomChange(), makeSendLater()]
  }

  init(
    _ context: AccountContext, _ author: ConfigAuthor, _ files: Files, _ ratchet: Ratchet
  ) {
    self.context = context
    self.author = author
    self.files = files
    self.ratchet = ratchet
  }
}

extension Outbox {
  /// Notifies only the contact who sent a file that it was saved here. Sends nothing to groups.
  func tellSaved(_ id: AttachmentRecord.ID) async throws {
    try await write { [self] transaction, now in
      for message in try transaction.messages(with: id) where message.kind == .incoming {
        guard let thread = try transaction.thread(message.threadID), let sender = SessionID(message.author),
          thread.address == sender.address,
          let contact = try transaction.contact(sender.address), contact.isApproved, !contact.isBlocked
        else { continue }
        // This message disappears after reading, whatever the mode of the conversation.
        let timer = try thread.expiry.timer.map { timer in
          try DisappearingTimer(.afterRead, seconds: timer.seconds)
        }
        try enqueueNotice(
          .dataExtraction(DataExtraction(of: try message.time)), sentAt: now, timer: timer, to: sender,
          in: thread.id, transaction)
      }
    }
  }
}
