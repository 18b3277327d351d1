import SessionCore
import SessionStorage

/// A file of a message, for display.
public struct AttachmentView: Hashable, Sendable, Identifiable {
  public struct ID: RawRepresentable, Hashable, Sendable, Codable, Comparable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    init(_ id: AttachmentRecord.ID) { self.init(rawValue: id.rawValue) }
    var record: AttachmentRecord.ID { AttachmentRecord.ID(rawValue: rawValue) }
  }

  public enum Kind: Hashable, Sendable {
    case file
    /// Once downloaded, its first bytes have confirmed the type and a safe size to decode.
    case image
    case voiceMessage
  }

  public enum State: Hashable, Sendable {
    /// On a server, downloaded on request.
    case remote
    case downloading
    /// Stored here, and being uploaded.
    case uploading
    /// Stored here.
    case ready
    /// The download or upload failed and can be retried.
    case failed
    /// It can never be downloaded: it is gone, or not what its sender said.
    case unusable
  }

  public let id: ID
  public let kind: Kind
  public let state: State
  /// True if its content can be read now.
  public let isHere: Bool
  /// A file name that is safe for file systems; nil if there is none.
  public let name: String?
  /// The sender's caption.
  public let caption: String?
  public let contentType: String
  /// In bytes; as the sender said, until the file is here.
  public let size: Int64
  /// In pixels; as the sender said, until the file is here.
  public let width: Int?
  public let height: Int?
  /// How long a voice message is, in milliseconds; nil before it is here, and if it does not tell.
  public let milliseconds: Int64?
}

extension AttachmentView {
  init(_ record: AttachmentRecord) {
    id = ID(record.id)
    kind =
      switch record.kind {
      case .voice: .voiceMessage
      case .file: record.contentType.hasPrefix("image/") ? .image : .file
      }
    state =
      switch record.state {
      case .pendingDownload: .remote
      case .downloading: .downloading
      case .uploading: .uploading
      case .downloaded, .uploaded: record.fileID == nil ? .remote : .ready
      case .failedDownload, .failedUpload: .failed
      case .invalid: .unusable
      }
    isHere = record.fileID != nil
    name = record.name
    caption = record.caption
    contentType = record.contentType
    size = record.byteCount
    width = record.width.map { Int($0) }
    height = record.height.map { Int($0) }
    milliseconds = record.duration.flatMap { Int64(exactly: ($0 * 1000).rounded()) }
  }
}

private enum AttachmentUseStatements {
  static let messages: SQL = "SELECT interactionID FROM interactionAttachment WHERE attachmentID = ?1"
  static let messagesOfLinks: SQL =
    "SELECT i.id FROM interaction i JOIN linkPreview l ON l.id = i.linkPreviewID WHERE l.attachmentID = ?"
}

extension Reading where Self: ~Copyable {
  /// The messages that have this file, or have it as the image of their link.
  func messages(with id: AttachmentRecord.ID) throws -> [InteractionRecord] {
    let direct: [InteractionRecord.ID] = try values(AttachmentUseStatements.messages, id)
    let links: [InteractionRecord.ID] = try values(AttachmentUseStatements.messagesOfLinks, id)
    return try (direct + links).compactMap { id in try interaction(id) }
  }
}
