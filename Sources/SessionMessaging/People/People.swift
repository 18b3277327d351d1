import SessionCore
import SessionJobs
import SessionStorage

/// The people we know: who may write to us, and what we call them.
final class People: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  let outbox: Outbox

  init(_ context: AccountContext, _ author: ConfigAuthor, _ outbox: Outbox) {
    self.context = context
    self.author = author
    self.outbox = outbox
  }
}

// MARK: - Requests

extension People {
  /// Accepts a message request.
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
      try author.editNow { configs, now in
        try configs.contacts.approve(person, contact, profile, at: now)
        return try configs.ownProfile()
      } writing: { profile, transaction, now in
        let thread = try transaction.openThread(person, at: now)
        try outbox.enqueueNotice(
          .messageRequestResponse(MessageRequestResponse(profile: profile)), sentAt: now, to: person,
          in: thread.id, transaction)
        try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
      }
    }
  }

  /// Declines a request on all our devices, and blocks its sender if so wished. The sender is not notified and may ask
  /// again.
  func declineRequest(of person: SessionID, blocking: Bool) async throws {
    if blocking { try requireOther(person) }
    guard !person.isBlinded else {
      throw MessengerError(.notAllowed, "this is not a message request: you wrote to this person")
    }
    try await deleteConversation(
      person, blocking: blocking,
      requiring: { contact in
        guard contact?.isApproved != true else {
          throw MessengerError(.notAllowed, "this is not a message request: the sender was accepted")
        }
      })
  }

  /// Deletes a conversation with everything in it, and the contact, on all our devices.
  func deleteConversation(
    _ person: SessionID, blocking: Bool = false,
    requiring check: @escaping @Sendable (ContactRecord?) throws -> Void = { _ in }
  ) async throws {
    try await act { [self] in
      let (contact, isKnown, blocked) = try database.read { transaction in
        let contact = try transaction.contact(person.address)
        try check(contact)
        return (
          contact, try transaction.thread(at: person.address) != nil || contact != nil,
          blocking ? try transaction.blocking(of: person) : nil
        )
      }
      guard isKnown else { throw MessengerError(.noConversation, "no such conversation") }
      try author.editNow { configs, now in
        // Of somebody in a community, no config knows.
        guard !person.isBlinded else { return }
        try configs.conversations.remove(.contact(person))
        if person == own {
          try configs.profile.update(at: now) { $0.notePriority = .hidden }
        } else if try configs.contacts[person]?.isBlocked == true {
          // A blocked contact stays blocked.
          try configs.contacts.update(person) { $0.priority = .hidden }
        } else if contact?.asksToTalk == true {
          try configs.contacts.decline(person, at: now)
        } else {
          try configs.contacts.remove(person)
        }
        if let blocked { try configs.apply(blocked, at: now) }
      } writing: { _, transaction, now in
        // A stranger is in no config and is only deleted here.
        let contact = try transaction.contact(person.address)
        if contact?.isBlocked != true, person != own {
          if contact != nil { try transaction.deleteContact(person.address) }
          try transaction.forgetDevices(of: person)
        }
        guard let thread = try transaction.thread(at: person.address) else { return }
        if person.isBlinded { try transaction.put(TombstoneRecord(person.address, at: now.stored)) }
        try transaction.delete(thread, at: jobTime)
        try transaction.requestFileSweep(at: jobTime)
        try transaction.tell(.conversationDeleted, MessengerEvent.Content(in: thread), at: now)
      }
    }
  }

  /// Blocks or unblocks a person.
  ///
  /// Behind the id of somebody in a community, the account is blocked. It must be known: that of an id of kind 15 always is.
  func setBlocked(_ isBlocked: Bool, _ person: SessionID) async throws {
    let person = try await account(of: person)
    try requireOther(person)
    try await act { [self] in
      let blocking = try database.read { transaction in
        try transaction.blocking(of: person, isBlocked: isBlocked)
      }
      try author.editNow { configs, now in
        try configs.apply(blocking, at: now)
      } writing: { _, _, _ in
      }
    }
  }

  /// The account behind the id of somebody in a community; other ids as they are.
  private func account(of person: SessionID) async throws -> SessionID {
    guard person.isBlinded else { return person }
    let route = try await database.read { transaction in try transaction.route(to: person) }
    guard let account = route?.account else {
      throw MessengerError(.invalidRecipient, "it is not known whose id this is")
    }
    return account
  }

  func setNickname(_ nickname: String?, of person: SessionID) async throws {
    try requireOther(person)
    try await changeContact(person) { $0.nickname = nickname ?? "" }
  }

  /// Changes a contact, or adds one to the configs.
  func changeContact(
    _ person: SessionID, _ body: @escaping @Sendable (inout Contact) -> Void
  ) async throws {
    try requireOther(person)
    try await act { [self] in
      try database.read { transaction in
        guard try transaction.contact(person.address)?.isApproved == true else {
          throw MessengerError(
            .noConversation, "this person is not a contact: accept their request or write to them first")
        }
      }
      try author.editNow { configs, _ in
        try configs.contacts.update(person, body)
      } writing: { _, _, _ in
      }
    }
  }

  func requireOther(_ person: SessionID) throws {
    try person.requireRecipient()
    guard person != own else { throw MessengerError(.invalidRecipient, "this is your own id") }
  }
}

extension ContactsConfig {
  /// Marks a declined request in the configs: a stranger has no entry there that could be deleted and tell other
  /// devices.
  fileprivate mutating func decline(_ id: SessionID, at now: MessageTime) throws {
    try update(id) { entry in
      entry.hasApprovedMe = true
      entry.priority = .hidden
      if entry.createdAtSeconds == 0 { entry.createdAtSeconds = Int64(now.seconds) }
    }
  }
}

extension Contact {
  /// True if they sent a request, and the conversation was deleted.
  var isDeclined: Bool { hasApprovedMe && !isApproved && !isBlocked && priority == .hidden }
}
