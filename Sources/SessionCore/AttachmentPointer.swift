/// The two formats of encrypted files.
public enum AttachmentFormat: String, Sendable, Codable, CaseIterable {
  /// AES-CBC with a MAC and a digest: what clients send today.
  case legacy
  /// A padded stream, the same for the same content from the same account.
  case stream
}

/// What a message carries so that its recipient can open a sealed file.
public struct AttachmentPointer: Sendable {
  public let format: AttachmentFormat
  public let key: SecretBytes
  /// The SHA-256 of the sealed file, for the legacy format.
  public let digest: [UInt8]
  /// The size of the content; 0 means that the sender did not tell.
  public let size: UInt64

  public init(format: AttachmentFormat, key: SecretBytes, digest: [UInt8] = [], size: UInt64) {
    self.format = format
    self.key = key
    self.digest = digest
    self.size = size
  }
}
