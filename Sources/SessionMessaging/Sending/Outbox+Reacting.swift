import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Outbox {
  /// Adds or removes a reaction.
  func react(_ action: MessageReaction.Action, _ emoji: String, to id: MessageView.ID) async throws {
    try await act { [self] in
      try author.editNow { configs, _ in
        try configs.ownProfile()
      } writing: { profile, transaction, now in
        let (target, thread) = try transaction.message(id)
        guard let conversation = SessionID(thread.address), let author = SessionID(target.author),
          !target.isDeleted, !target.kind.isNote
        else { throw MessengerError(.notAllowed, "only existing messages can have reactions") }
        _ = try Conversation.ID(thread.address)?.requirePerson()
        let isContact = try transaction.contact(thread.address)?.isApproved == true
        guard conversation == own || isContact else {
          throw MessengerError(.notAllowed, "accept the message request before reacting to it")
        }
        let reaction = try MessageReaction(
          action, emoji: emoji, targetSentAt: target.time, targetAuthor: author,
          profile: conversation == own ? nil : profile)
        let mine = try transaction.reactions(to: target.id).filter { $0.author == own.address }
        let same = mine.first { $0.emoji.emojiKey == reaction.emojiKey }
        switch action {
        case .react:
          guard same == nil else { return }
          guard mine.count < MessageReceiver.maxReactions else {
            throw MessengerError(
              .notAllowed, "a message has at most \(MessageReceiver.maxReactions) reactions from one person")
          }
          try transaction.put(
            ReactionRecord(to: target.id, by: own.address, emoji: emoji, sentAt: now.stored))
        case .remove:
          guard let same else { return }
          try transaction.deleteReaction(to: target.id, by: own.address, emoji: same.emoji)
        }
        try enqueueNotice(
          .reaction(reaction), sentAt: now, timer: thread.expiry.timer(in: conversation == own),
          to: conversation, in: thread.id, transaction)
        try transaction.tell(.messageChanged, target, at: now)
      }
    }
  }
}
