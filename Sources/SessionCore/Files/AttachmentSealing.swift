internal import CSessionCore

/// The two formats of encrypted files.
public enum AttachmentFormat: String, Sendable, Codable, CaseIterable {
  /// AES-CBC with a MAC and a digest: the format that clients send today.
  case legacy
  /// A padded stream, deterministic for the same content and account.
  case stream
}

/// The data in a message that lets its recipient open a sealed file.
public struct AttachmentPointer: Sendable {
  public let format: AttachmentFormat
  public let key: SecretBytes
  /// The SHA-256 of the sealed file, for the legacy format.
  public let digest: [UInt8]
  /// The size of the content; 0 if the sender did not state it.
  public let size: UInt64

  public init(format: AttachmentFormat, key: SecretBytes, digest: [UInt8] = [], size: UInt64) {
    self.format = format
    self.key = key
    self.digest = digest
    self.size = size
  }
}

/// How to seal a file.
public struct AttachmentSealing: Sendable {
  enum Format {
    case legacy
    case stream(Account, StreamDomain)
  }

  /// The purpose of a file in the stream format: attachments and pictures have different keys.
  public enum StreamDomain: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_stream_file_domain
    case attachment
    case displayPicture
  }

  let format: Format
  let isSizeUnlimited: Bool

  /// The legacy format, under a fresh key.
  public static let legacy = AttachmentSealing(format: .legacy, isSizeUnlimited: false)

  /// The stream format, with a key derived from the content and the account. It reads the content twice.
  public static func stream(by account: Account, as domain: StreamDomain = .attachment) -> AttachmentSealing {
    AttachmentSealing(format: .stream(account, domain), isSizeUnlimited: false)
  }

  /// The same format without a size limit, for servers that accept larger files.
  public var ofAnySize: AttachmentSealing { AttachmentSealing(format: format, isSizeUnlimited: true) }

  /// Returns the size of the sealed file for content of this size; nil if that is too large.
  public func sealedSize(of size: UInt64) -> UInt64? {
    let sealed =
      switch format {
      case .legacy: sc_legacy_file_sealed_len(size)
      case .stream: sc_stream_file_sealed_len(size)
      }
    return sealed == .max ? nil : sealed
  }

  package func makeSealer() throws(SessionError) -> any AttachmentSealer {
    switch format {
    case .legacy: try LegacySealer(isSizeUnlimited: isSizeUnlimited)
    case .stream(let account, let domain):
      try StreamSealer(by: account, as: domain, isSizeUnlimited: isSizeUnlimited)
    }
  }
}
