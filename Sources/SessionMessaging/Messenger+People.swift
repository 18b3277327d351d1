public import SessionCore
import SessionStorage

extension Messenger {
  /// Everybody who wrote to us, or whom we wrote to.
  public nonisolated func contacts() async throws -> [ContactView] { try await engine.contacts() }

  /// Says that we want to talk to somebody who asks to.
  public nonisolated func acceptRequest(of person: SessionID) async throws {
    try await engine.acceptRequest(of: person)
  }

  /// Forgets a request. Whoever asked is told nothing, and may ask again.
  public nonisolated func declineRequest(of person: SessionID) async throws {
    try await engine.declineRequest(of: person)
  }

  /// Hears nothing more of somebody.
  public nonisolated func block(_ person: SessionID) async throws {
    try await engine.setBlocked(true, person)
  }

  public nonisolated func unblock(_ person: SessionID) async throws {
    try await engine.setBlocked(false, person)
  }

  /// Calls a contact something else; nil for what they call themselves.
  public nonisolated func setNickname(_ nickname: String?, of person: SessionID) async throws {
    try await engine.setNickname(nickname, of: person)
  }

  /// What we call ourselves; empty before anything was set.
  public nonisolated func name() async throws -> String {
    try await engine.act { [engine] in
      try engine.configs.read { configs in try configs.profile.get().name }
    }
  }

  /// Calls ourselves something.
  public nonisolated func setName(_ name: String) async throws {
    try await engine.changeProfile { $0.name = name }
  }

  /// The words that the account can be restored from. Whoever reads them is this account.
  public nonisolated func recoveryPhrase() throws -> RecoveryPhrase { try engine.account.recoveryPhrase() }
}
