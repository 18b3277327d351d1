public import SessionCore

/// Resolves the names that people register for their accounts.
public protocol NameService: Sendable {
  /// Returns the account of a name; nil if it is not registered.
  func account(named name: String) async throws(SessionError) -> SessionID?
}

extension Network: NameService {}
