import SessionCore
import SessionStorage

/// A file of a message, as it is shown.
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
    /// Once it is here, its first bytes say so too, and that it is not too large to be decoded.
    case image
    case voiceMessage
  }

  public enum State: Hashable, Sendable {
    /// On a server, downloaded on request.
    case remote
    case downloading
    /// Here, and on its way to a server.
    case uploading
    /// Here.
    case ready
    /// It could not be fetched, or brought to a server, and may be tried again.
    case failed
    /// It can never be had: it is gone, or not what its sender said.
    case unusable
  }

  public let id: ID
  public let kind: Kind
  public let state: State
  /// True if its content can be read now.
  public let isHere: Bool
  /// The last part of a name, fit for a file system; nil when it has none.
  public let name: String?
  /// What its sender says about it.
  public let caption: String?
  public let contentType: String
  /// In bytes. Of what is not here, as its sender said.
  public let size: Int64
  /// In pixels. Of what is not here, as its sender said.
  public let width: Int?
  public let height: Int?
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
  }
}

private enum AttachmentUseStatements {
  static let messages: SQL = "SELECT interactionID FROM interactionAttachment WHERE attachmentID = ?1"
  static let messagesOfLinks: SQL =
    "SELECT i.id FROM interaction i JOIN linkPreview l ON l.id = i.linkPreviewID WHERE l.attachmentID = ?"
}

extension Reading where Self: ~Copyable {
  /// The messages that a file came with, or the image of whose link it is.
  func messages(with id: AttachmentRecord.ID) throws -> [InteractionRecord] {
    let direct: [InteractionRecord.ID] = try values(AttachmentUseStatements.messages, id)
    let links: [InteractionRecord.ID] = try values(AttachmentUseStatements.messagesOfLinks, id)
    return try (direct + links).compactMap { id in try interaction(id) }
  }
}
