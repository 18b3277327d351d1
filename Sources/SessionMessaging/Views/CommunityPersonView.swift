public import SessionCore
import SessionStorage

/// Somebody with whom we have written through a community.
public struct CommunityPersonView: Hashable, Sendable, Identifiable {
  /// The id in the community.
  public let id: SessionID
  /// The name they chose; empty if unknown.
  public let name: String
  /// Their account, once that has written to us: then its conversation is theirs.
  public let account: SessionID?
}

extension People {
  func communityPeople() async throws -> [CommunityPersonView] {
    try await database.read { transaction in
      try transaction.blindedIDs().compactMap { row in
        guard let id = SessionID(row.blindedID) else { return nil }
        let account = try row.sessionID.flatMap { SessionID($0) }.flatMap { account in
          try transaction.contact(account.address)?.didApproveMe == true ? account : nil
        }
        return CommunityPersonView(
          id: id, name: try transaction.profile(row.blindedID)?.name ?? "", account: account)
      }
    }
  }
}
