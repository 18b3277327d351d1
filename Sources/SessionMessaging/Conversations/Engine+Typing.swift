import SessionCore
import SessionNetworking
import SessionStorage

extension Engine {
  /// Notes that somebody types a message here, or does not any more, and tells the other side.
  func setTyping(_ isTyping: Bool, in conversation: SessionID) async throws {
    guard isTyping else {
      if ownTyping.end(conversation) { try await tellTyping(.stopped, to: conversation) }
      return
    }
    guard try await mayTellTyping(to: conversation) else { return }
    let isDue = ownTyping.note(conversation, by: dependencies.clock) { [weak self] in
      do { try await self?.tellTyping(.stopped, to: conversation) } catch {
        self?.dependencies.log("could not send that typing stopped: \(error)")
      }
    }
    if isDue { try await tellTyping(.started, to: conversation) }
  }

  private func mayTellTyping(to conversation: SessionID) async throws -> Bool {
    try await database.read { [own] transaction in
      guard try transaction.value(of: .usesTypingIndicators) == true, conversation != own,
        let contact = try transaction.contact(conversation.address)
      else { return false }
      return contact.isApproved && !contact.isBlocked
    }
  }

  /// It is worth nothing later: what fails is not repeated.
  private func tellTyping(_ action: TypingIndicator.Action, to conversation: SessionID) async throws {
    guard try await mayTellTyping(to: conversation) else { return }
    let now = try time()
    let sealed = try seal(
      Message(.typing(TypingIndicator(action, sentAt: now)), sentAt: now), for: conversation)
    do throws(NetworkFailure) {
      try await dependencies.swarms.perform([.store(sealed.parcel)], in: conversation, as: nil).check()
    } catch {
      dependencies.log("could not send the typing indicator: \(error)")
    }
  }
}
