import SessionMessaging

/// A setting of an account: the commands and their help derive from this.
struct AccountSetting: Sendable {
  let name: String
  /// Its purpose, without a full stop.
  let summary: String
  /// True if all devices of the account share it.
  var isShared = false
  /// What it can be.
  var values = ["on", "off"]
  /// What else it can be.
  var others: Others? = nil
  /// Its value as a text; nil while it is undecided.
  let value: @Sendable (MessengerSettings) -> String?
  let set: @Sendable (Messenger, String) async throws -> Void

  /// Values that are too many to list.
  struct Others: Sendable {
    /// As the help shows them.
    let name: String
    let examples: String
    let contain: @Sendable (String) -> Bool
  }

  /// True if it can have this value.
  func accepts(_ text: String) -> Bool { values.contains(text) || others?.contain(text) == true }

  /// What it can be, for people.
  var choices: String { (values + (others.map { [$0.examples] } ?? [])).joined(separator: ", ") }

  static let all: [AccountSetting] =
    [
      isOn("read-receipts", "tell others what you have read, and see what they have", \.usesReadReceipts) {
        try await $0.setReadReceipts($1)
      },
      isOn("typing", "tell others that you type, and see that they do", \.usesTypingIndicators) {
        try await $0.setTypingIndicators($1)
      },
      isOn(
        "community-requests", "let strangers in communities write to you; on all of your devices",
        isShared: true,
        \.takesCommunityRequests
      ) { try await $0.setCommunityRequests($1) },
      choice(
        "forward-secrecy",
        "send with keys that are erased after use; 'security enable' switches it on for all",
        \.forwardSecrecy
      ) { try await $0.setForwardSecrecy($1) },
      choice(
        "new-devices",
        "what a new device of a contact gets that nothing vouches for: messages, or nothing (hold)",
        \.newDevices
      ) { try await $0.setNewDevices($1) },
      choice(
        "verification",
        "refuse to send to people who have changed since you compared numbers, or were never compared",
        \.verificationPolicy
      ) { try await $0.setVerificationPolicy($1) },
      AccountSetting(
        name: "default-timer",
        summary: "when messages of conversations that you begin, and of groups that you create, disappear",
        values: ["off"],
        others: .init(name: "TIMER", examples: "1w, after-send 1w, after-read 1d") {
          TimerText.timer($0) != nil
        },
        value: { $0.defaultTimer.map { TimerText.text($0) } ?? "off" },
        set: { messenger, text in try await messenger.setDefaultTimer(TimerText.timer(text)) }),
      choice(
        "link-previews",
        "send previews of links that you write; the site then sees the address of this machine",
        \.linkPreviews
      ) { try await $0.setLinkPreviews($1) },
      AccountSetting(
        name: "auto-download",
        summary: "the largest files that come by themselves where 'contacts downloads' is on",
        values: [],
        others: .init(name: "KIND-SIZE", examples: "image 2M, voice 500k, video off, file 10M") {
          DownloadLimitText.limit($0) != nil
        },
        value: { DownloadLimitText.text($0.downloads) },
        set: { messenger, text in
          guard let (kind, limit) = DownloadLimitText.limit(text) else { return }
          var rules = try await messenger.settings().downloads
          try rules.setLimit(of: kind, to: limit)
          try await messenger.setDownloadRules(rules)
        }),
      AccountSetting(
        name: "auto-download-budget", summary: "how much comes by itself in a day", values: ["off"],
        others: .init(name: "SIZE", examples: "200M") { DownloadLimitText.size($0) != nil },
        value: { $0.downloads.budget == 0 ? "off" : ByteCount.text($0.downloads.budget) },
        set: { messenger, text in
          guard let size = DownloadLimitText.size(text) else { return }
          var rules = try await messenger.settings().downloads
          try rules.setBudget(size)
          try await messenger.setDownloadRules(rules)
        }),
    ] + notifications

  /// What is shown on a desktop.
  private static let notifications: [AccountSetting] = [
    AccountSetting(
      name: "notifications", summary: "show notifications on the desktop (auto: where a program shows them)",
      values: NotificationSettings.Showing.allCases.map(\.rawValue),
      value: { $0.notifications.showing.rawValue },
      set: { messenger, text in
        try await change(messenger) { $0.showing = .init(rawValue: text) ?? $0.showing }
      }),
    AccountSetting(
      name: "notification-preview", summary: "what notifications show: name and text, the name, or neither",
      values: NotificationSettings.Preview.allCases.map(\.rawValue),
      value: { $0.notifications.preview.rawValue },
      set: { messenger, text in
        try await change(messenger) { $0.preview = .init(rawValue: text) ?? $0.preview }
      }),
    isOn(
      "notification-timer-preview",
      "show the texts of disappearing messages, too, which the desktop may keep",
      \.notifications.previewsTimed
    ) { messenger, isOn in try await change(messenger) { $0.previewsTimed = isOn } },
    isOn("notification-sound", "let notifications make a sound", \.notifications.hasSound) {
      messenger, isOn in try await change(messenger) { $0.hasSound = isOn }
    },
    isOn("notification-actions", "offer actions in notifications, such as Reply", \.notifications.hasActions)
    {
      messenger, isOn in try await change(messenger) { $0.hasActions = isOn }
    },
  ]

  private static func change(
    _ messenger: Messenger, _ change: (inout NotificationSettings) -> Void
  ) async throws {
    var settings = try await messenger.settings().notifications
    change(&settings)
    try await messenger.setNotifications(settings)
  }

  private static func isOn(
    _ name: String, _ summary: String, isShared: Bool = false,
    _ value: @escaping @Sendable (MessengerSettings) -> Bool?,
    _ set: @escaping @Sendable (Messenger, Bool) async throws -> Void
  ) -> AccountSetting {
    AccountSetting(
      name: name, summary: summary, isShared: isShared, value: { value($0).map { $0 ? "on" : "off" } },
      set: { try await set($0, $1 == "on") })
  }

  private static func choice<Choice: CaseIterable & RawRepresentable<String> & Sendable>(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (MessengerSettings) -> Choice,
    _ set: @escaping @Sendable (Messenger, Choice) async throws -> Void
  ) -> AccountSetting {
    AccountSetting(
      name: name, summary: summary, values: Choice.allCases.map(\.rawValue), value: { value($0).rawValue },
      set: { messenger, text in
        guard let choice = Choice(rawValue: text) else { return }
        try await set(messenger, choice)
      })
  }

  func word(_ settings: MessengerSettings) -> String { value(settings) ?? "undecided" }

  /// True if it is either on or off.
  var isSwitch: Bool { values == ["on", "off"] }

  /// For programs.
  func json(_ settings: MessengerSettings) -> JSONObject {
    var object: JSONObject = ["type": .string("setting"), "name": .string(name)]
    let value = value(settings)
    if isSwitch {
      object["value"] = value.map { .boolean($0 == "on") }
    } else {
      object["choice"] = value.map { .string($0) }
    }
    object["shared"] = .boolean(isShared)
    return object
  }
}
