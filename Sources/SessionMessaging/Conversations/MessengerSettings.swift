import SessionCore
import SessionStorage

extension Setting where Value == Bool {
  /// True if others are told what we have read, and we are shown what they have.
  static let usesReadReceipts = Setting("usesReadReceipts")
  /// True if others are told that we type, and we are shown that they do.
  static let usesTypingIndicators = Setting("usesTypingIndicators")
}

extension Setting where Value == SecretText {
  /// The words that the account follows from.
  static let recoveryPhrase = Setting("recoveryPhrase")
}
