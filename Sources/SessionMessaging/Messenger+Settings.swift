public import SessionCore
import SessionStorage

/// The settings of an account.
public struct MessengerSettings: Hashable, Sendable {
  /// True if this device sends and shows read receipts.
  public var usesReadReceipts: Bool
  /// True if this device sends and shows typing indicators.
  public var usesTypingIndicators: Bool
  /// True if strangers in communities may write to us; nil if never set. Applies to all own devices.
  public var takesCommunityRequests: Bool?
  /// Which messages to people are sent with forward secrecy, from this device.
  public var forwardSecrecy = ForwardSecrecy.off
  /// What a new device of a contact gets from this device that none of theirs vouches for.
  public var newDevices = NewDevices.notify
  /// When sending from this device is refused until numbers were compared.
  public var verificationPolicy = VerificationPolicy.changes
  /// The timer of conversations that we begin, and of groups that we create, on this device.
  public var defaultTimer: DisappearingTimer?
  /// What is downloaded automatically, on this device.
  public var downloads = DownloadRules()
  /// Whether this device makes previews of links in messages that it sends.
  public var linkPreviews = LinkPreviewUse.off
  /// What this device shows on a desktop.
  public var notifications = NotificationSettings()
}

extension Messenger {
  /// The current settings.
  public nonisolated func settings() async throws -> MessengerSettings {
    try await context.act { [author, context] in
      let takesRequests = try author.configs.read { configs in try configs.profile.get().takesBlindedRequests
      }
      return try context.database.read { transaction in
        MessengerSettings(
          usesReadReceipts: try transaction.value(of: .usesReadReceipts) ?? false,
          usesTypingIndicators: try transaction.value(of: .usesTypingIndicators) ?? false,
          takesCommunityRequests: takesRequests, forwardSecrecy: try transaction.forwardSecrecy(),
          newDevices: try transaction.newDevices(), verificationPolicy: try transaction.verificationPolicy(),
          defaultTimer: try transaction.defaultTimer(), downloads: try transaction.downloadRules(),
          linkPreviews: try transaction.linkPreviewUse(),
          notifications: try transaction.notificationSettings())
      }
    }
  }

  /// Turns read receipts on or off; off by default.
  public nonisolated func setReadReceipts(_ areUsed: Bool) async throws {
    try await perform(.account(.setReadReceipts(areUsed)))
  }

  /// Turns typing indicators on or off; off by default.
  public nonisolated func setTypingIndicators(_ areUsed: Bool) async throws {
    try await perform(.account(.setTypingIndicators(areUsed)))
  }

  /// Allows or refuses message requests from strangers in communities.
  public nonisolated func setCommunityRequests(_ areTaken: Bool) async throws {
    try await perform(.account(.setCommunityRequests(areTaken)))
  }
}

extension Setting where Value == Bool {
  /// True if read receipts are sent and shown.
  static let usesReadReceipts = Setting("usesReadReceipts")
  /// True if typing indicators are sent and shown.
  static let usesTypingIndicators = Setting("usesTypingIndicators")
}

extension Setting where Value == Bool {
  /// True if strangers in communities may not write to us: a copy of what the configs say.
  static let refusesCommunityRequests = Setting("refusesCommunityRequests")
}

extension MessengerSettings {
  /// The names of the settings that travel in archives, with the values that this device has.
  public static let archived = [
    Setting.usesReadReceipts.name, Setting.usesTypingIndicators.name, Setting.refusesCommunityRequests.name,
    Setting.defaultTimer.name, Setting.downloadRules.name,
  ]
}

extension Setting where Value == SecretText {
  /// The recovery phrase of the account.
  static let recoveryPhrase = Setting("recoveryPhrase")
}
