package import SessionCore
import SessionStorage

/// A call about one person.
package enum PersonCall: Codable, Hashable, Sendable {
  case setBlocked(Bool, SessionID)
  case setNickname(String?, SessionID)
  case setDownloadsByItself(Bool, SessionID)
}

extension Messenger {
  nonisolated func carryOut(_ call: PersonCall) async throws -> MessengerReply {
    switch call {
    case .setBlocked(let isBlocked, let person): try await people.setBlocked(isBlocked, person)
    case .setNickname(let nickname, let person): try await people.setNickname(nickname, of: person)
    case .setDownloadsByItself(let isWanted, let person):
      try await setDownloadsByItself(isWanted, person)
    }
    return .done
  }

  /// How many messages of a conversation are looked at when automatic downloads are switched on.
  private static let newestMessages = 20

  private nonisolated func setDownloadsByItself(_ isWanted: Bool, _ person: SessionID) async throws {
    try await context.write { [context] transaction, now in
      guard var contact = try transaction.contact(person.address), contact.isApproved else {
        throw MessengerError(
          .noConversation, "this person is not a contact: accept their request or write to them first")
      }
      guard contact.isTrusted != isWanted else { return }
      contact.isTrusted = isWanted
      try transaction.put(contact)
      try transaction.tell(.contactChanged, MessengerEvent.Content(person: person), at: now)
      guard isWanted, !contact.isBlocked, let thread = try transaction.thread(at: person.address) else {
        return
      }
      // The newest messages, as if they came now.
      for message in try transaction.page(of: thread.id, limit: Self.newestMessages)
      where message.kind == .incoming && message.author == person.address {
        for file in try transaction.attachments(of: message.id) {
          try transaction.requestAutomaticDownload(file, at: now, context)
        }
      }
    }
  }
}
