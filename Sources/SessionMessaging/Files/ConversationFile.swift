import SessionBase
public import SessionCore
import SessionStorage

/// A file of a message, in a list of the files of conversations.
public struct ConversationFile: Hashable, Sendable {
  public let message: MessageView.ID
  public let conversation: Conversation.ID
  public let author: SessionID
  /// Milliseconds since 1970.
  public let sentAt: Int64
  /// Its position in the message, from one.
  public let number: Int
  public let file: AttachmentView
}

/// Which files a list has.
public struct FileFilter: Hashable, Sendable {
  /// A kind of content, by its media type.
  public enum Kind: Int, Sendable, CaseIterable {
    case image = 1
    case video
    case voice
    case file
  }

  public enum State: Int, Sendable, CaseIterable {
    /// Its content is here.
    case ready = 1
    /// On a server.
    case remote
    case failed
    /// It can never be downloaded.
    case unusable
  }

  /// Nil for all conversations.
  public var conversation: Conversation.ID?
  public var kind: Kind?
  public var state: State?
  public var author: SessionID?
  /// Milliseconds since 1970; files of earlier messages are left out.
  public var since = Int64.min
  /// Files of this message and later ones are left out.
  public var before: MessageView.ID?
  /// The number of a file of that message: those with higher numbers come first. Nil leaves out all of them.
  public var behind: Int?

  public init() {}
}

private enum FileListStatements {
  private static let columns: SQL =
    "SELECT i.id, t.address, i.author, i.sentAt, l.position, a.id"
  private static let conditions: SQL = """
    (i.sentAt, i.id) <= (?, ?) AND NOT (i.id = ? AND l.position < ?) AND i.sentAt >= ? AND i.kind IN (0, 1) AND (? = '' OR i.author = ?) \
    AND (? = 0 OR ? = CASE WHEN a.kind = 1 THEN 3 WHEN a.contentType LIKE 'image/%' THEN 1 \
    WHEN a.contentType LIKE 'video/%' THEN 2 ELSE 4 END) \
    AND (? = 0 OR ? = CASE WHEN a.fileID IS NOT NULL THEN 1 WHEN a.state IN (0, 4) THEN 3 \
    WHEN a.state = 100 THEN 4 ELSE 2 END) \
    ORDER BY i.sentAt DESC, i.id DESC, l.position LIMIT ?
    """
  // In this order the rows of a conversation come sorted from the index.
  static let inThread: SQL = """
    \(columns) FROM thread t CROSS JOIN interaction i CROSS JOIN interactionAttachment l CROSS JOIN attachment a \
    WHERE t.address = ? AND i.threadID = t.id AND l.interactionID = i.id AND a.id = l.attachmentID AND \(conditions)
    """
  static let everywhere: SQL = """
    \(columns) FROM interactionAttachment l CROSS JOIN attachment a CROSS JOIN interaction i CROSS JOIN thread t \
    WHERE ? = '' AND a.id = l.attachmentID AND i.id = l.interactionID AND t.id = i.threadID AND \(conditions)
    """
  static let deletable: SQL = """
    SELECT a.id FROM attachment a JOIN file f ON f.id = a.fileID JOIN interactionAttachment l ON l.attachmentID = a.id \
    JOIN interaction i ON i.id = l.interactionID JOIN thread t ON t.id = i.threadID \
    WHERE a.id > ? AND a.state NOT IN (4, 5) AND i.sentAt < ? AND f.byteCount > ? AND (? = '' OR t.address = ?) \
    AND a.id NOT IN (SELECT attachmentID FROM draftAttachment) \
    AND a.id NOT IN (SELECT attachmentID FROM scheduledAttachment) GROUP BY a.id ORDER BY a.id LIMIT ?
    """
}

extension Messenger {
  /// The files of conversations, those of the newest message first.
  ///
  /// A page continues behind the last file of the one before: with its message as ``FileFilter/before``, and its number as
  /// ``FileFilter/behind``.
  public nonisolated func files(_ filter: FileFilter, limit: Int = 50) async throws -> [ConversationFile] {
    let limit = min(max(limit, 1), Self.maxPage)
    let now = try context.time()
    let conversation = try filter.conversation?.requireValid()
    return try await context.database.read { transaction in
      let place = try filter.before.map { id -> InteractionPlace in
        guard let conversation else { return try transaction.message(id).0.place }
        return try transaction.message(id, in: conversation).0.place
      }
      let (end, author) = (place ?? .end, filter.author?.address ?? "")
      let (kind, state) = (filter.kind?.rawValue ?? 0, filter.state?.rawValue ?? 0)
      let rows = try transaction.map(
        conversation == nil ? FileListStatements.everywhere : FileListStatements.inThread,
        conversation?.address ?? "", end.sentAt, end.id, end.id, filter.behind ?? .max, filter.since, author,
        author, kind, kind, state,
        state,
        limit
      ) { (row) throws(StorageError) -> FileRow in
        FileRow(
          message: try row[0], address: try row[1], author: try row[2], sentAt: try row[3],
          position: try row[4],
          attachment: try row[5])
      }
      return try rows.compactMap { row in
        guard let conversation = Conversation.ID(row.address), let author = SessionID(row.author),
          let record = try transaction.interaction(row.message), !record.isOver(at: now),
          let attachment = try transaction.attachment(row.attachment)
        else { return nil }
        return ConversationFile(
          message: MessageView.ID(row.message), conversation: conversation, author: author,
          sentAt: row.sentAt,
          number: row.position + 1, file: AttachmentView(attachment))
      }
    }
  }

  private struct FileRow {
    let message: InteractionRecord.ID
    let address: String
    let author: String
    let sentAt: Int64
    let position: Int
    let attachment: AttachmentRecord.ID
  }

  /// Deletes the content of files of messages that were sent before a time and are larger than a size, and returns the
  /// number of bytes. The messages stay; the content is downloaded again on request while a server has it.
  public nonisolated func deleteFiles(
    sentBefore time: Int64, largerThan size: Int64, in conversation: Conversation.ID?
  ) async throws -> Int64 {
    let reply = try await perform(
      .account(.deleteFiles(sentBefore: time, largerThan: size, in: conversation)))
    guard case .count(let bytes) = reply else { throw MessengerError.unexpectedReply }
    return bytes
  }

  /// The attachments in a transaction.
  private static let filesTogether = 500

  nonisolated func deleteFilesHere(
    sentBefore time: Int64, largerThan size: Int64, in conversation: Conversation.ID?
  ) async throws -> Int64 {
    let address = try conversation?.requireValid().address ?? ""
    let vault = try files.requireVault()
    var (last, bytes) = (AttachmentRecord.ID(rawValue: 0), Int64(0))
    while true {
      let (next, freed) = try await context.write { [last] transaction, now in
        let ids: [AttachmentRecord.ID] = try transaction.values(
          FileListStatements.deletable, last, time, size, address, address, Self.filesTogether)
        var freed: Int64 = 0
        for id in ids {
          guard var attachment = try transaction.attachment(id), let file = attachment.fileID else {
            continue
          }
          freed += try transaction.file(file)?.byteCount ?? 0
          attachment.fileID = nil
          let isKept = attachment.url != nil && now.stored - attachment.createdAt < AttachmentRecord.reuseTime
          attachment.state = isKept ? .pendingDownload : .invalid
          try transaction.update(attachment)
        }
        return (ids.last, freed)
      }
      bytes += freed
      guard let next else { break }
      last = next
    }
    _ = try await WorkerQueue("session.files").run { try vault.removeReleased() }
    return bytes
  }
}
