import SessionCore

/// A call about messages and their files.
package enum MessageCall: Codable, Hashable, Sendable {
  case send(
    OutgoingText, files: [OutgoingFile], to: Conversation.ID, key: SendKey?, settling: EventAcknowledgement?)
  /// With the time at which the sender was shown the latest change of the recipient.
  case resend(MessageView.ID, identityShownAt: Int64?)
  /// Gives a message in a room another text.
  case edit(MessageView.ID, String)
  case delete(MessageView.ID, Deletion)
  case react(String, to: MessageView.ID)
  case unreact(String, to: MessageView.ID)
  case download(AttachmentView.ID)
  /// Notifies the sender of a file that it was saved.
  case tellSaved(AttachmentView.ID)
}

extension MessageCall {
  /// Sending again sends another message, unless it has a key. Deleting again finds no message, and resending again none
  /// that failed.
  var isRepeatable: Bool {
    switch self {
    case .send(_, _, _, nil, _), .delete, .resend: false
    default: true
    }
  }
}

extension Messenger {
  nonisolated func carryOut(_ call: MessageCall) async throws -> MessengerReply {
    switch call {
    case .send(let text, let files, let conversation, let key, let event):
      let message = try await outbox.send(
        text, attachments: files, to: conversation, key: key, settling: event)
      return .message(message.id, isRepeated: message.isRepeated)
    case .resend(let id, let shownAt): try await outbox.resend(id, identityShownAt: shownAt)
    case .edit(let id, let body): try await outbox.edit(id, body)
    case .delete(let id, let deletion): try await outbox.delete(id, deletion)
    case .react(let emoji, let id): try await outbox.react(.react, emoji, to: id)
    case .unreact(let emoji, let id): try await outbox.react(.remove, emoji, to: id)
    case .download(let id):
      _ = try files.requireVault()
      try await context.write { [context] transaction, _ in
        try transaction.requestDownload(try transaction.knownAttachment(id), at: context.jobTime)
      }
    case .tellSaved(let id): try await outbox.tellSaved(id.record)
    }
    return .done
  }
}
