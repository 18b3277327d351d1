public import SessionCore
import SessionStorage

/// A person we know.
public struct ContactView: Hashable, Sendable, Identifiable {
  public let id: SessionID
  /// The name they chose; empty if unknown.
  public let name: String
  /// The nickname we gave them.
  public let nickname: String?
  public let isApproved: Bool
  public let hasApprovedUs: Bool
  public let isBlocked: Bool
  /// True if their picture is stored here.
  public let hasPicture: Bool
  /// True if their images and voice messages are downloaded automatically.
  public let downloadsByItself: Bool
  /// If the numbers with this person were compared.
  public let verification: VerificationState
}

extension People {
  func contacts() async throws -> [ContactView] {
    try await database.read { [own] transaction in
      var views: [ContactView] = []
      for contact in try transaction.contacts() where contact.id != own.address {
        guard let id = SessionID(contact.id), !id.isBlinded else { continue }
        let profile = try transaction.profile(contact.id)
        views.append(
          ContactView(
            id: id, name: profile?.name ?? "", nickname: profile?.nickname, isApproved: contact.isApproved,
            hasApprovedUs: contact.didApproveMe, isBlocked: contact.isBlocked,
            hasPicture: profile?.pictureFileID != nil, downloadsByItself: contact.isTrusted,
            verification: VerificationState(try transaction.verification(of: contact.id))))
      }
      return views
    }
  }
}
