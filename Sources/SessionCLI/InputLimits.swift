import SessionCore

/// The most a command reads from a file or a stream before it refuses.
enum InputLimits {
  static let phrase = RecoveryPhrase.maxBytes
  static let message = 1 << 20
  /// A sealed message of the largest size as base64, broken into lines.
  static let sealed = 2 << 20
  /// The dump of a config of the largest size as base64, broken into lines.
  static let config = 24 << 20
  static let attachmentPointer = 4096
  static let networkFile = 16 << 20
  static let passphrase = 4096
  static let picture = Picture.maxBytes
  static let groupKeys = 1 << 16
  /// The largest frame that peers take, its head included.
  static let request = 10_000_000
}
