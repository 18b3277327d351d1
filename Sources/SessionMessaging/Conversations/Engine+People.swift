import SessionCore
import SessionJobs
import SessionStorage

extension Engine {
  /// Says that we want to talk to somebody who asks to.
  func acceptRequest(of person: SessionID) async throws {
    try await act { [self] in
      let (contact, profile) = try database.read { transaction in
        _ = try transaction.conversation(.person(person))
        return (try transaction.contact(person.address), try transaction.profile(person.address))
      }
      guard contact?.isBlocked != true else {
        throw MessengerError(.blocked, "this person is blocked: unblock them first")
      }
      guard contact?.isApproved != true else { return }
      try changeNow { configs, now in
        try configs.contacts.approve(person, contact, profile, at: now)
        return try ownProfile(configs)
      } writing: { profile, transaction, now in
        let thread = try transaction.openThread(person, at: now)
        try enqueueNotice(
          .messageRequestResponse(MessageRequestResponse(profile: profile)), sentAt: now, to: person,
          in: thread.id, transaction)
        try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
      }
    }
  }

  /// Declines a request on all our devices. The sender is not notified and may ask again.
  func declineRequest(of person: SessionID) async throws {
    try await deleteConversation(
      person,
      requiring: { contact in
        guard contact?.isApproved != true else {
          throw MessengerError(.notAllowed, "this is not a message request: the sender was accepted")
        }
      })
  }

  /// Deletes a conversation with everything in it, and the contact, on all our devices.
  func deleteConversation(
    _ person: SessionID, requiring check: @escaping @Sendable (ContactRecord?) throws -> Void = { _ in }
  ) async throws {
    try await act { [self] in
      let (contact, isKnown) = try database.read { transaction in
        let contact = try transaction.contact(person.address)
        try check(contact)
        return (contact, try transaction.thread(at: person.address) != nil || contact != nil)
      }
      guard isKnown else { throw MessengerError(.noConversation, "no such conversation") }
      try changeNow { configs, now in
        try configs.conversations.remove(.contact(person))
        if person == own {
          try configs.profile.update(at: now) { $0.notePriority = .hidden }
        } else if try configs.contacts[person]?.isBlocked == true {
          // Who is blocked stays so.
          try configs.contacts.update(person) { $0.priority = .hidden }
        } else if contact?.asksToTalk == true {
          try configs.contacts.decline(person, at: now)
        } else {
          try configs.contacts.remove(person)
        }
      } writing: { _, transaction, now in
        // A stranger who is in no config is forgotten here.
        if let contact = try transaction.contact(person.address), !contact.isBlocked {
          try transaction.deleteContact(person.address)
        }
        guard let thread = try transaction.thread(at: person.address) else { return }
        try transaction.delete(thread, at: jobTime)
        try requestFileSweep(in: transaction)
        try transaction.tell(.conversationDeleted, MessengerEvent.Content(in: thread), at: now)
      }
    }
  }

  func setBlocked(_ isBlocked: Bool, _ person: SessionID) async throws {
    try requireOther(person)
    try await act { [self] in
      let contact = try database.read { transaction in try transaction.contact(person.address) }
      try changeNow { configs, now in
        try configs.contacts.update(person) { entry in
          entry.isBlocked = isBlocked
          if entry.createdAtSeconds == 0 { entry.createdAtSeconds = Int64(now.seconds) }
          if contact?.didApproveMe == true { entry.hasApprovedMe = true }
          // Who was never accepted leaves the list of requests, and comes back to it.
          if contact?.isApproved != true { entry.priority = isBlocked ? .hidden : .normal }
        }
      } writing: { _, _, _ in
      }
    }
  }

  func setNickname(_ nickname: String?, of person: SessionID) async throws {
    try requireOther(person)
    try await changeContact(person) { $0.nickname = nickname ?? "" }
  }

  func setPinned(_ isPinned: Bool, _ conversation: SessionID) async throws {
    try await arrange(conversation) { priority in
      if isPinned { priority = .pinned(1) } else if case .pinned = priority { priority = .normal }
    }
  }

  func setHidden(_ isHidden: Bool, _ conversation: SessionID) async throws {
    try await arrange(conversation) { priority in
      if isHidden { priority = .hidden } else if priority == .hidden { priority = .normal }
    }
  }

  private func arrange(
    _ conversation: SessionID, _ change: @escaping @Sendable (inout Priority) -> Void
  ) async throws {
    guard conversation != own else {
      try await changeProfile { change(&$0.notePriority) }
      return
    }
    try await changeContact(conversation) { change(&$0.priority) }
  }

  func setMuted(until time: Int64?, _ conversation: SessionID) async throws {
    try requireOther(conversation)
    try await changeContact(conversation) { $0.mutedUntilSeconds = (time ?? 0) / 1000 }
  }

  /// Changes somebody who is in the configs, or comes into them by that.
  private func changeContact(
    _ person: SessionID, _ body: @escaping @Sendable (inout Contact) -> Void
  ) async throws {
    try await act { [self] in
      try database.read { transaction in
        guard try transaction.contact(person.address)?.isApproved == true else {
          throw MessengerError(
            .noConversation, "this person is not a contact: accept their request or write to them first")
        }
      }
      try changeNow { configs, _ in
        try configs.contacts.update(person, body)
      } writing: { _, _, _ in
      }
    }
  }

  /// Sets when messages of a conversation disappear, and tells the other side.
  func setTimer(_ timer: DisappearingTimer?, in conversation: SessionID) async throws {
    if conversation == own {
      guard timer.map({ $0.mode == .afterSend }) ?? true else {
        throw MessengerError(
          .notAllowed, "messages in Note to Self can disappear only after sending")
      }
      try await changeProfile { $0.noteDisappearsAfterSeconds = Int32(clamping: timer?.seconds ?? 0) }
      return
    }
    try await act { [self] in
      try database.read { transaction in
        guard try transaction.contact(conversation.address)?.isApproved == true else {
          throw MessengerError(.noConversation, "disappearing messages need a conversation with a contact")
        }
      }
      try changeNow { configs, _ in
        let before = try configs.contacts[conversation]?.disappearing
        try configs.contacts.update(conversation) { $0.disappearing = timer }
        return (try ownProfile(configs), before != timer)
      } writing: { plan, transaction, now in
        guard plan.1 else { return }
        let thread = try transaction.openThread(conversation, at: now)
        var row = InteractionRecord(
          in: thread.id, by: own.address, InteractionRecord.Kind(.timerChanged), sentAt: now.stored,
          receivedAt: now.stored, state: .sent)
        row.wasRead = true
        row.expiry = ExpiryTimer(timer)
        if row.expiry.mode == .afterSend { row.expiryStartedAt = row.sentAt }
        let note = try transaction.insert(row)
        if note.expiryStartedAt != nil { try requestSweep(for: note, in: transaction, at: now) }
        try enqueueNotice(
          .timerUpdate(ExpirationTimerUpdate(profile: plan.0)), sentAt: now, timer: timer, to: conversation,
          in: thread.id, transaction)
        try transaction.tell(.messageSent, note, at: now)
      }
    }
  }

  func changeProfile(_ body: @escaping @Sendable (inout Profile) -> Void) async throws {
    try await change { configs, now in
      try configs.profile.update(at: now, body)
    } writing: { _, _, _ in
    }
  }

  private func requireOther(_ person: SessionID) throws {
    try requireRecipient(person)
    guard person != own else { throw MessengerError(.invalidRecipient, "this is your own id") }
  }
}

extension ContactsConfig {
  /// Leaves a mark of somebody whose request was declined: a stranger is in no config, so that there is nothing to erase
  /// of which other devices would hear.
  fileprivate mutating func decline(_ id: SessionID, at now: MessageTime) throws {
    try update(id) { entry in
      entry.hasApprovedMe = true
      entry.priority = .hidden
      if entry.createdAtSeconds == 0 { entry.createdAtSeconds = Int64(now.seconds) }
    }
  }
}

extension Contact {
  /// True if they asked to talk, and the conversation was deleted.
  var isDeclined: Bool { hasApprovedMe && !isApproved && !isBlocked && priority == .hidden }
}
