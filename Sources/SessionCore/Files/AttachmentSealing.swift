internal import CSessionCore

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

/// How to seal a file.
public struct AttachmentSealing: Sendable {
  enum Format {
    case legacy
    case stream(Account, StreamDomain)
  }

  /// What a file in the stream format is: it has another key as an attachment than as a picture.
  public enum StreamDomain: UInt32, Sendable, CaseIterable {
    case attachment
    case displayPicture
  }

  let format: Format
  let isSizeUnlimited: Bool

  /// The legacy format, under a fresh key.
  public static let legacy = AttachmentSealing(format: .legacy, isSizeUnlimited: false)

  /// The stream format, with a key made from the content and the account. It reads the content twice.
  public static func stream(by account: Account, as domain: StreamDomain = .attachment) -> AttachmentSealing {
    AttachmentSealing(format: .stream(account, domain), isSizeUnlimited: false)
  }

  /// The same way of sealing without its limit on the size, for servers that take more than the usual ones.
  public var ofAnySize: AttachmentSealing { AttachmentSealing(format: format, isSizeUnlimited: true) }

  /// How large the sealed file of so much content is; nil for more than can be sealed.
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

extension AttachmentSealing.StreamDomain: CoreEnum { typealias Core = sc_stream_file_domain }
