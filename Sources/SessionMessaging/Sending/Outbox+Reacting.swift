import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Outbox {
  /// Adds or removes a reaction.
  func react(_ action: MessageReaction.Action, _ emoji: String, to id: MessageView.ID) async throws {
    if let room = try await room(ofMessage: id) {
      await context.learnTime()
      return try await react(action, emoji, to: id, in: room)
    }
    try await act { [self] in
      try author.editNow { configs, _ in
        let (_, thread) = try database.read { transaction in try transaction.message(id) }
        if case .group(let group)? = Conversation.ID(thread.address) {
          try requireMembership(of: group, in: configs)
        }
        return try configs.ownProfile()
      } writing: { profile, transaction, now in
        let (target, thread) = try transaction.message(id)
        guard let destination = thread.destination(own: own), let author = SessionID(target.author),
          !target.isDeleted, !target.kind.isNote
        else { throw MessengerError(.notAllowed, "only existing messages can have reactions") }
        try transaction.requireThread(of: destination, for: account)
        try requireAcquaintance(with: destination, in: transaction)
        let reaction = try MessageReaction(
          action, emoji: emoji, targetSentAt: target.time, targetAuthor: author,
          profile: destination.showsProfile ? profile : nil)
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
          if let conversation = Conversation.ID(thread.address) {
            try transaction.remove(same, in: conversation, until: now.stored + OwnerInbox.longestMemory)
          }
        }
        let timer = destination.timer(of: thread.expiry)
        if case .group(let group) = destination.place {
          try transaction.requestNotice(
            Message(.reaction(reaction), sentAt: now, disappearing: timer), sentAt: now.stored, to: group,
            in: thread.id, at: jobTime)
        } else {
          try enqueueNotice(
            .reaction(reaction), sentAt: now, timer: timer, to: destination.swarm, isDeliberate: true,
            about: target.id, in: thread.id, transaction)
        }
        try transaction.tell(.messageChanged, target, at: now)
      }
    }
  }

  /// Throws unless a person who asks to write to us was accepted.
  private func requireAcquaintance(
    with destination: Destination, in transaction: borrowing WriteTransaction
  ) throws {
    if case .blinded = destination.place {
      throw MessengerError(.notAllowed, "this person has not answered yet: you can react once they have")
    }
    guard case .person(let person) = destination.place,
      try transaction.contact(person.address)?.isApproved != true
    else { return }
    throw MessengerError(.notAllowed, "accept the message request before reacting to it")
  }
}
