import SessionMessaging

/// A setting of an account that is on or off: the commands and their help derive from this.
struct AccountSetting: Sendable {
  let name: String
  /// Its purpose, without a full stop.
  let summary: String
  /// True if all devices of the account share it.
  var isShared = false
  /// Nil while it is undecided.
  let value: @Sendable (MessengerSettings) -> Bool?
  let set: @Sendable (Messenger, Bool) async throws -> Void

  static let all: [AccountSetting] = [
    AccountSetting(
      name: "read-receipts", summary: "tell others what you have read, and see what they have",
      value: \.usesReadReceipts, set: { try await $0.setReadReceipts($1) }),
    AccountSetting(
      name: "typing", summary: "tell others that you type, and see that they do",
      value: \.usesTypingIndicators, set: { try await $0.setTypingIndicators($1) }),
    AccountSetting(
      name: "community-requests",
      summary: "let strangers in communities write to you; on all of your devices",
      isShared: true, value: \.takesCommunityRequests, set: { try await $0.setCommunityRequests($1) }),
  ]

  /// As the help shows them.
  static let names = all.map(\.name).joined(separator: "|")

  static func word(_ value: Bool?) -> String { value.map { $0 ? "on" : "off" } ?? "undecided" }

  /// For programs.
  func json(_ settings: MessengerSettings) -> JSONObject {
    var object: JSONObject = ["type": .string("setting"), "name": .string(name)]
    object["value"] = value(settings).map { .boolean($0) }
    object["shared"] = .boolean(isShared)
    return object
  }
}
