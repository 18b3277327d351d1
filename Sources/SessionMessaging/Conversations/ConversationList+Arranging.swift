import SessionCore
import SessionJobs
import SessionStorage

extension ConversationList {
  /// In the year 2255, in seconds since 1970. Configs have greater numbers from clients that store milliseconds, and read
  /// them so.
  private static let longestMute: Int64 = 9_000_000_000

  func setPinned(_ isPinned: Bool, _ conversation: Conversation.ID) async throws {
    try await arrange(conversation) { priority in
      if isPinned { priority = .pinned(1) } else if case .pinned = priority { priority = .normal }
    }
  }

  func setHidden(_ isHidden: Bool, _ conversation: SessionID) async throws {
    try await arrange(.person(conversation)) { priority in
      if isHidden { priority = .hidden } else if priority == .hidden { priority = .normal }
    }
  }

  private func arrange(
    _ conversation: Conversation.ID, _ change: @escaping @Sendable (inout Priority) -> Void
  ) async throws {
    guard conversation.isPerson else {
      try await changeMembership(in: conversation) { change(&$0.priority) }
      return
    }
    let person = try conversation.requirePerson()
    guard person != own else {
      try await author.editProfile { change(&$0.notePriority) }
      return
    }
    try await people.changeContact(person) { change(&$0.priority) }
  }

  /// Changes what the configs of the account, which others do not see, say about a group or room.
  private func changeMembership(
    in conversation: Conversation.ID, _ change: @escaping @Sendable (inout Membership) -> Void
  ) async throws {
    try await author.edit { configs, _ -> Void in
      switch conversation {
      case .group(let group):
        if try configs.groups[group] != nil {
          return try configs.groups.update(group) { change(&$0.membership) }
        }
      case .room(let room):
        if let community = try configs.groups[room] {
          return try configs.groups.update(community.link) { change(&$0) }
        }
      case .person: break
      }
      throw MessengerError(.noConversation, "no such conversation")
    } writing: { _, _, _ in
    }
  }

  func setMuted(until time: Int64?, _ conversation: Conversation.ID) async throws {
    let seconds = min((time ?? 0) / 1000, Self.longestMute)
    try await change(conversation) {
      $0.mutedUntilSeconds = seconds
    } inGroup: {
      $0.mutedUntilSeconds = seconds
    }
  }

  func setNotified(_ notifying: Notifying, _ conversation: Conversation.ID) async throws {
    guard !conversation.isPerson || notifying != .ofMentions else {
      throw MessengerError(.notAllowed, "only groups and rooms can notify of mentions alone")
    }
    try await change(conversation) {
      $0.notifying = notifying
    } inGroup: {
      $0.notifying = notifying
    }
  }

  func setSound(_ sound: NotificationSound, _ conversation: Conversation.ID) async throws {
    guard sound.isValid else { throw MessengerError(.notAllowed, "this is not a valid sound") }
    try await write { transaction, now in
      var thread = try transaction.conversation(conversation)
      let kept = sound == .usual ? nil : sound.text
      guard thread.sound != kept else { return }
      thread.sound = kept
      try transaction.update(thread)
      try transaction.tell(
        .conversationChanged, MessengerEvent.Content(in: thread), thread: thread.id, at: now)
    }
  }

  /// Changes the settings of a conversation with another person, or of a group or room.
  private func change(
    _ conversation: Conversation.ID, person change: @escaping @Sendable (inout Contact) -> Void,
    inGroup changeInGroup: @escaping @Sendable (inout Membership) -> Void
  ) async throws {
    guard conversation.isPerson else {
      return try await changeMembership(in: conversation, changeInGroup)
    }
    let person = try conversation.requirePerson()
    try people.requireOther(person)
    try await people.changeContact(person, change)
  }

  /// Sets when messages of a conversation disappear, and tells the other side.
  func setTimer(_ timer: DisappearingTimer?, in conversation: SessionID) async throws {
    if conversation == own {
      guard timer.map({ $0.mode == .afterSend }) ?? true else {
        throw MessengerError(
          .notAllowed, "messages in Note to Self can disappear only after sending")
      }
      try await author.editProfile { $0.noteDisappearsAfterSeconds = Int32(clamping: timer?.seconds ?? 0) }
      return
    }
    try people.requireOther(conversation)
    try await act { [self] in
      try database.read { transaction in
        guard try transaction.contact(conversation.address)?.isApproved == true else {
          throw MessengerError(.noConversation, "disappearing messages need a conversation with a contact")
        }
      }
      try author.editNow { configs, _ in
        let before = try configs.contacts[conversation]?.disappearing
        try configs.contacts.update(conversation) { $0.disappearing = timer }
        return (try configs.ownProfile(), before != timer)
      } writing: { plan, transaction, now in
        guard plan.1 else { return }
        let thread = try transaction.openThread(conversation, at: now)
        try outbox.tellTimer(
          timer, to: conversation, isDeliberate: true, in: thread, as: plan.0, transaction, at: now)
      }
    }
  }
}
