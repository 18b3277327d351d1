import SessionCore
import SessionStorage

/// What a person may set for an account as a whole.
public struct MessengerSettings: Hashable, Sendable {
  /// True if this device sends and shows read receipts.
  public var usesReadReceipts: Bool
  /// True if this device sends and shows typing indicators.
  public var usesTypingIndicators: Bool
  /// True if strangers in communities may write to us; nil while that is undecided. Of all own devices.
  public var takesCommunityRequests: Bool?
}

extension Messenger {
  /// What is set now.
  public nonisolated func settings() async throws -> MessengerSettings {
    try await context.act { [author, context] in
      let takesRequests = try author.configs.read { configs in try configs.profile.get().takesBlindedRequests
      }
      return try context.database.read { transaction in
        MessengerSettings(
          usesReadReceipts: try transaction.value(of: .usesReadReceipts) ?? false,
          usesTypingIndicators: try transaction.value(of: .usesTypingIndicators) ?? false,
          takesCommunityRequests: takesRequests)
      }
    }
  }

  /// Turns read receipts on or off; off by default.
  public nonisolated func setReadReceipts(_ areUsed: Bool) async throws {
    try await context.write { transaction, _ in try transaction.set(.usesReadReceipts, to: areUsed) }
  }

  /// Turns typing indicators on or off; off by default.
  public nonisolated func setTypingIndicators(_ areUsed: Bool) async throws {
    try await context.write { transaction, _ in try transaction.set(.usesTypingIndicators, to: areUsed) }
  }

  /// Whether strangers in communities may write to us.
  public nonisolated func setCommunityRequests(_ areTaken: Bool) async throws {
    try await author.editProfile { $0.takesBlindedRequests = areTaken }
  }
}

extension Setting where Value == Bool {
  /// True if read receipts are sent and shown.
  static let usesReadReceipts = Setting("usesReadReceipts")
  /// True if typing indicators are sent and shown.
  static let usesTypingIndicators = Setting("usesTypingIndicators")
}

extension Setting where Value == SecretText {
  /// The words that the account follows from.
  static let recoveryPhrase = Setting("recoveryPhrase")
}
