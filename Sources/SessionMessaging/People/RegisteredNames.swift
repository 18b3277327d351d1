public import SessionCore
import SessionNetworking

extension Messenger {
  /// Resolves a name that a person registered in the network; nil if there is none. Several nodes must agree. The owner of a
  /// name can change.
  ///
  /// Throws `nameLength` and `nameCharacters` for what is no such name, and `nameRecord` if nodes disagree.
  public nonisolated func account(named name: String) async throws -> SessionID? {
    guard case .account(let id) = try await perform(.account(.resolve(name))) else {
      throw MessengerError.unexpectedReply
    }
    return id
  }

  nonisolated func resolveHere(_ name: String) async throws -> SessionID? {
    // What is wrong with a name is said without asking anybody.
    _ = try Storage.Name(name)
    guard let names = context.environment.names else {
      throw MessengerError(.notAllowed, "registered names cannot be resolved here")
    }
    return try await names.account(named: name)
  }
}
