public import SessionCore
import SessionStorage

extension Messenger {
  /// Returns everyone who wrote to us, or to whom we wrote.
  public nonisolated func contacts() async throws -> [ContactView] { try await people.contacts() }

  /// Accepts a message request, or joins a group that invited us.
  public nonisolated func acceptRequest(_ conversation: Conversation.ID) async throws {
    try await perform(.conversation(.acceptRequest(conversation)))
  }

  /// Declines a message request, or an invitation to a group. The sender is not notified and may try again; with
  /// `blocking`, the sender is blocked too.
  public nonisolated func declineRequest(
    _ conversation: Conversation.ID, blocking: Bool = false
  ) async throws {
    try await perform(.conversation(.declineRequest(conversation, blocking: blocking)))
  }

  /// Blocks a person. Behind the id of somebody in a community, the account is blocked; throws `invalidRecipient` if that is
  /// not known.
  public nonisolated func block(_ person: SessionID) async throws {
    try await perform(.person(.setBlocked(true, person)))
  }

  public nonisolated func unblock(_ person: SessionID) async throws {
    try await perform(.person(.setBlocked(false, person)))
  }

  /// The people with whom we have written through communities, under their ids there.
  public nonisolated func communityPeople() async throws -> [CommunityPersonView] {
    try await people.communityPeople()
  }

  /// Sets a contact's nickname; nil clears it.
  public nonisolated func setNickname(_ nickname: String?, of person: SessionID) async throws {
    try await perform(.person(.setNickname(nickname, person)))
  }

  /// The account's own display name; empty if not set.
  public nonisolated func name() async throws -> String {
    try await context.act { [author] in
      try author.configs.read { configs in try configs.profile.get().name }
    }
  }

  /// Sets the account's own display name.
  public nonisolated func setName(_ name: String) async throws {
    try await perform(.account(.setName(name)))
  }

  /// Returns the recovery phrase. Anyone who reads it can take over the account.
  public nonisolated func recoveryPhrase() throws -> RecoveryPhrase { try context.account.recoveryPhrase() }
}
