public import SessionCore
import SessionStorage

/// A link with a preview in a message, in a list of the links of conversations.
public struct ConversationLink: Hashable, Sendable {
  public let message: MessageView.ID
  public let conversation: Conversation.ID
  public let author: SessionID
  /// Milliseconds since 1970.
  public let sentAt: Int64
  public let url: String
  public let title: String?
}

private enum LinkListStatements {
  private static let columns: SQL = "SELECT i.id, t.address, i.author, i.sentAt, p.url, p.title"
  private static let conditions: SQL = """
    i.linkPreviewID = p.id AND p.kind = 0 AND (i.sentAt, i.id) < (?, ?) AND i.sentAt >= ? AND i.kind IN (0, 1) \
    AND (? = '' OR i.author = ?) ORDER BY i.sentAt DESC, i.id DESC LIMIT ?
    """
  static let inThread: SQL = """
    \(columns) FROM thread t CROSS JOIN interaction i CROSS JOIN linkPreview p \
    WHERE t.address = ? AND i.threadID = t.id AND \(conditions)
    """
  static let everywhere: SQL = """
    \(columns) FROM linkPreview p CROSS JOIN interaction i CROSS JOIN thread t \
    WHERE ? = '' AND t.id = i.threadID AND \(conditions)
    """
}

extension Messenger {
  /// The links with previews of conversations, that of the newest message first. Kinds and states of files do not count.
  public nonisolated func links(_ filter: FileFilter, limit: Int = 50) async throws -> [ConversationLink] {
    let limit = min(max(limit, 1), Self.maxPage)
    let now = try context.time()
    let conversation = try filter.conversation?.requireValid()
    return try await context.database.read { transaction in
      let place = try filter.before.map { id in try transaction.message(id, in: conversation).0.place }
      let (end, author) = (place ?? .end, filter.author?.address ?? "")
      let rows = try transaction.map(
        conversation == nil ? LinkListStatements.everywhere : LinkListStatements.inThread,
        conversation?.address ?? "", end.sentAt, end.id, filter.since, author, author, limit
      ) { (row) throws(StorageError) -> LinkRow in
        LinkRow(
          message: try row[0], address: try row[1], author: try row[2], sentAt: try row[3], url: try row[4],
          title: try row[5])
      }
      return try rows.compactMap { row in
        guard let conversation = Conversation.ID(row.address), let author = SessionID(row.author),
          let record = try transaction.interaction(row.message), !record.isOver(at: now)
        else { return nil }
        return ConversationLink(
          message: MessageView.ID(row.message), conversation: conversation, author: author,
          sentAt: row.sentAt, url: row.url, title: row.title)
      }
    }
  }

  private struct LinkRow {
    let message: InteractionRecord.ID
    let address: String
    let author: String
    let sentAt: Int64
    let url: String
    let title: String?
  }
}
