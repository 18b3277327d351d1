public import SessionCore
import SessionStorage

extension Messenger {
  /// Returns everyone who wrote to us, or to whom we wrote.
  public nonisolated func contacts() async throws -> [ContactView] { try await people.contacts() }

  /// Accepts a message request, or joins a group that invited us.
  public nonisolated func acceptRequest(_ conversation: Conversation.ID) async throws {
    switch try conversation.requireValid() {
    case .group(let group): try await groups.acceptInvitation(to: group)
    default: try await people.acceptRequest(of: conversation.requirePerson())
    }
  }

  /// Declines a message request, or an invitation to a group. The sender is not notified and may try again; with
  /// `blocking`, the sender is blocked too.
  public nonisolated func declineRequest(
    _ conversation: Conversation.ID, blocking: Bool = false
  ) async throws {
    switch try conversation.requireValid() {
    case .group(let group): try await groups.declineInvitation(to: group, blocking: blocking)
    default: try await people.declineRequest(of: conversation.requirePerson(), blocking: blocking)
    }
  }

  /// Blocks a contact.
  public nonisolated func block(_ person: SessionID) async throws {
    try await people.setBlocked(true, person)
  }

  public nonisolated func unblock(_ person: SessionID) async throws {
    try await people.setBlocked(false, person)
  }

  /// Sets a contact's nickname; nil clears it.
  public nonisolated func setNickname(_ nickname: String?, of person: SessionID) async throws {
    try await people.setNickname(nickname, of: person)
  }

  /// The account's own display name; empty if not set.
  public nonisolated func name() async throws -> String {
    try await context.act { [author] in
      try author.configs.read { configs in try configs.profile.get().name }
    }
  }

  /// Sets the account's own display name.
  public nonisolated func setName(_ name: String) async throws {
    try await author.editProfile { $0.name = name }
  }

  /// Returns the recovery phrase. Anyone who reads it can take over the account.
  public nonisolated func recoveryPhrase() throws -> RecoveryPhrase { try context.account.recoveryPhrase() }
}
