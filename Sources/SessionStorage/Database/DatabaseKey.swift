public import SessionCore

/// The key of a database: 32 random bytes, and the salt of the file after them where it is known.
///
/// Opens the file directly, without a passphrase. Its holder must protect it.
public struct DatabaseKey: Sendable {
  public static let byteCount = 32
  public static let saltByteCount = 16

  let secret: SecretBytes

  /// Takes 32 bytes, or 48 with the salt: `wrongKey` for any other number.
  public init(_ secret: SecretBytes) throws(StorageError) {
    guard [Self.byteCount, Self.byteCount + Self.saltByteCount].contains(secret.count) else {
      throw StorageError(
        .wrongKey, "the key of a database has \(Self.byteCount) bytes, this one has \(secret.count)")
    }
    self.secret = secret
  }

  /// A fresh key, with the salt for a file that is to be made with it.
  public static func random() throws(SessionError) -> DatabaseKey {
    DatabaseKey(unchecked: try SecretBytes.random(count: byteCount + saltByteCount))
  }

  private init(unchecked secret: SecretBytes) { self.secret = secret }
}
