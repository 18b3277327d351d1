import SessionBase
package import SessionCore
import SessionStorage

/// A call about one conversation.
package enum ConversationCall: Codable, Hashable, Sendable {
  case markRead(Conversation.ID, upTo: MessageView.ID?)
  case markAllRead([Conversation.ID])
  case markUnread(Conversation.ID)
  case setPinned(Bool, Conversation.ID)
  case setHidden(Bool, Conversation.ID)
  case setMuted(until: Int64?, Conversation.ID)
  case setNotified(Notifying, Conversation.ID)
  case setSound(NotificationSound, Conversation.ID)
  case setTimer(DisappearingTimer?, Conversation.ID)
  case setDraft(String, Conversation.ID)
  case addToDraft(String, Conversation.ID)
  case replaceDraft(DraftContent, Conversation.ID)
  case setTyping(Bool, Conversation.ID, isReportedSeldom: Bool)
  case delete(Conversation.ID)
  case acceptRequest(Conversation.ID)
  case declineRequest(Conversation.ID, blocking: Bool)
  /// Polls the conversation often until the call is cancelled.
  case watch(Conversation.ID)
}

extension ConversationCall {
  /// A second deletion or answer finds nothing, and a text would be added twice.
  var isRepeatable: Bool {
    switch self {
    case .delete, .acceptRequest, .declineRequest, .addToDraft: false
    default: true
    }
  }
}

extension Messenger {
  nonisolated func carryOut(_ call: ConversationCall) async throws -> MessengerReply {
    switch call {
    case .markRead(let conversation, let id):
      try await list.markRead(conversation.requireValid(), upTo: id)
    case .markAllRead(let conversations):
      try await list.markRead(conversations.map { (id) throws(MessengerError) in try id.requireValid() })
    case .markUnread(let conversation): try await list.markUnread(conversation.requireValid())
    case .setPinned(let isPinned, let conversation):
      try await list.setPinned(isPinned, conversation.requireValid())
    case .setHidden(let isHidden, let conversation):
      try await list.setHidden(isHidden, conversation.requirePerson())
    case .setMuted(let time, let conversation):
      try await list.setMuted(until: time, conversation.requireValid())
    case .setNotified(let notifying, let conversation):
      try await list.setNotified(notifying, conversation.requireValid())
    case .setSound(let sound, let conversation):
      try await list.setSound(sound, conversation.requireValid())
    case .setTimer(let timer, let conversation): try await setTimer(timer, conversation)
    case .setDraft(let body, let conversation): try await changeDraft(body, conversation)
    case .addToDraft(let text, let conversation): try await addToDraft(text, conversation)
    case .replaceDraft(let content, let conversation): try await replaceDraft(content, conversation)
    case .setTyping(let isTyping, let conversation, let isReportedSeldom):
      try await outbox.setTyping(
        isTyping, in: conversation.requirePerson(), isReportedSeldom: isReportedSeldom)
    case .delete(let conversation):
      switch try conversation.requireValid() {
      case .group(let group): try await groups.deleteConversation(group)
      case .room(let room): try await communities.leave(room)
      default: try await people.deleteConversation(conversation.requirePerson())
      }
    case .acceptRequest(let conversation):
      switch try conversation.requireValid() {
      case .group(let group): try await groups.acceptInvitation(to: group)
      default: try await people.acceptRequest(of: conversation.requirePerson())
      }
    case .declineRequest(let conversation, let blocking):
      switch try conversation.requireValid() {
      case .group(let group): try await groups.declineInvitation(to: group, blocking: blocking)
      default: try await people.declineRequest(of: conversation.requirePerson(), blocking: blocking)
      }
    case .watch(let conversation):
      let watch = watchHere(try conversation.requireValid())
      await Latch().wait()
      withExtendedLifetime(watch) {}
    }
    return .done
  }

  private nonisolated func setTimer(
    _ timer: DisappearingTimer?, _ conversation: Conversation.ID
  ) async throws {
    guard case .group(let group) = try conversation.requireValid() else {
      return try await list.setTimer(timer, in: conversation.requirePerson())
    }
    guard timer.map({ $0.mode == .afterSend }) ?? true else {
      throw MessengerError(.notAllowed, "messages in groups can disappear only after sending")
    }
    try await groups.update(group, GroupChange(timerSeconds: timer?.seconds ?? 0))
  }

  private nonisolated func changeDraft(_ body: String, _ conversation: Conversation.ID) async throws {
    let conversation = try conversation.requireValid()
    try await context.write { transaction, now in
      let thread = try transaction.conversation(conversation)
      let files = try transaction.draftAttachments(of: thread.id)
      guard !body.isEmpty || !files.isEmpty else { return try transaction.deleteDraft(of: thread.id) }
      try transaction.setDraftText(body, of: thread, files, at: now)
    }
  }

  private nonisolated func addToDraft(_ text: String, _ conversation: Conversation.ID) async throws {
    let conversation = try conversation.requireValid()
    try await context.write { transaction, now in
      let thread = try transaction.conversation(conversation)
      guard !text.isEmpty else { return }
      let old = try transaction.draft(of: thread.id)?.body ?? ""
      let body = old.isEmpty ? text : "\(old)\n\(text)"
      guard body.utf8.count <= DraftContent.maxBody else {
        throw MessengerError(.notAllowed, "a draft has up to \(DraftContent.maxBody) bytes")
      }
      try transaction.setDraftText(
        body, of: thread, try transaction.draftAttachments(of: thread.id), at: now)
    }
  }

  private nonisolated func replaceDraft(
    _ content: DraftContent, _ conversation: Conversation.ID
  ) async throws {
    let conversation = try conversation.requireValid()
    // Refused before any file is copied.
    guard content.body.utf8.count <= DraftContent.maxBody else {
      throw MessengerError(.notAllowed, "a draft has up to \(DraftContent.maxBody) bytes")
    }
    let isRoom = try await context.database.read { transaction in
      let thread = try transaction.conversation(conversation)
      if let answered = content.answering { _ = try transaction.answerable(answered, in: conversation) }
      return thread.kind == .community
    }
    let brought = try await files.importFiles(content.files, toRoom: isRoom, forDraft: true)
    try await context.write { [context] transaction, now in
      let thread = try transaction.conversation(conversation)
      try transaction.requestFileSweep(at: context.jobTime)
      guard !content.body.isEmpty || !brought.isEmpty else {
        return try transaction.deleteDraft(of: thread.id)
      }
      var draft = DraftRecord(in: thread.id, body: content.body, updatedAt: now.stored)
      if let answered = content.answering {
        let original = try transaction.answerable(answered, in: conversation)
        (draft.quoteAuthor, draft.quoteSentAt) = (original.author, original.sentAt)
      }
      try transaction.put(draft, attachments: brought.map { file in try transaction.obtain(file) })
    }
  }
}

extension WriteTransaction {
  /// Changes the text of a draft, which keeps its files and the message that it replies to.
  fileprivate func setDraftText(
    _ body: String, of thread: ThreadRecord, _ files: [AttachmentRecord], at now: MessageTime
  ) throws {
    var draft =
      try self.draft(of: thread.id) ?? DraftRecord(in: thread.id, body: "", updatedAt: now.stored)
    (draft.body, draft.updatedAt) = (body, now.stored)
    try put(draft, attachments: files.map(\.id))
  }
}
