import SessionJobs
import SessionStorage

/// What this device shows of an account on a desktop.
public struct NotificationSettings: Hashable, Sendable, Codable {
  public enum Preview: String, Sendable, CaseIterable, Codable {
    /// The name and the text of a message.
    case message
    /// The name alone.
    case contact
    case hidden
  }

  /// When there are notifications.
  public enum Showing: String, Sendable, CaseIterable, Codable {
    /// Where a program shows them.
    case auto
    case off
  }

  public var showing = Showing.auto
  public var preview = Preview.contact
  public var hasSound = true
  public var hasActions = true
  /// True if the texts of disappearing messages are shown, too: servers of notifications may keep copies.
  public var previewsTimed = false

  public init() {}
}

extension Setting where Value == String {
  static let notifications = Setting("notifications")
}

extension Reading where Self: ~Copyable {
  /// What is set; the defaults if this program cannot read it.
  func notificationSettings() throws -> NotificationSettings {
    guard let text = try value(of: .notifications),
      let settings = try? JobPayload.decode(NotificationSettings.self, from: Array(text.utf8))
    else { return NotificationSettings() }
    return settings
  }
}

extension Messenger {
  /// Sets what this device shows on a desktop.
  public nonisolated func setNotifications(_ settings: NotificationSettings) async throws {
    try await perform(.account(.setNotifications(settings)))
  }

  nonisolated func keepNotifications(_ settings: NotificationSettings) async throws {
    let text = String(decoding: try JobPayload.encode(settings), as: UTF8.self)
    try await context.write { transaction, _ in try transaction.set(.notifications, to: text) }
  }
}
