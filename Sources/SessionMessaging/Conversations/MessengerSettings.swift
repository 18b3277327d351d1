import SessionCore
import SessionStorage

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
