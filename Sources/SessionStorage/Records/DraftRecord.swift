/// The draft of a conversation.
public struct DraftRecord: Record, Hashable {
  public static let maxBody = 32 * 1024

  public let threadID: ThreadRecord.ID
  public var body: String
  public var quoteAuthor: String?
  public var quoteSentAt: Int64?
  /// The message that is being changed.
  public var editTarget: InteractionRecord.ID?
  public var updatedAt: Int64

  public init(in threadID: ThreadRecord.ID, body: String, updatedAt: Int64) {
    self.threadID = threadID
    self.body = body
    self.updatedAt = updatedAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    threadID = try row[0]
    body = try row[1]
    quoteAuthor = try row[2]
    quoteSentAt = try row[3]
    editTarget = try row[4]
    updatedAt = try row[5]
  }

  fileprivate static let byThread: SQL = """
    SELECT threadID, body, quoteAuthor, quoteSentAt, editTarget, updatedAt FROM draft WHERE threadID = ?
    """
  fileprivate static let change: SQL = """
    UPDATE draft SET body = ?, quoteAuthor = ?, quoteSentAt = ?, editTarget = ?, updatedAt = ? WHERE threadID = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO draft (body, quoteAuthor, quoteSentAt, editTarget, updatedAt, threadID) VALUES (?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM draft WHERE threadID = ?"
  fileprivate static let linking: SQL =
    "INSERT INTO draftAttachment (threadID, position, attachmentID) VALUES (?, ?, ?)"
  fileprivate static let nextPosition: SQL =
    "SELECT ifnull(max(position) + 1, 0) FROM draftAttachment WHERE threadID = ?"
  fileprivate static let unlinking: SQL = "DELETE FROM draftAttachment WHERE threadID = ? AND position < ?"
}

extension Reading where Self: ~Copyable {
  public func draft(of thread: ThreadRecord.ID) throws(StorageError) -> DraftRecord? {
    try first(DraftRecord.byThread, thread)
  }
}

extension WriteTransaction {
  /// Keeps a draft with its attachments: `tooLarge` for a body over the limit.
  public func put(_ draft: DraftRecord, attachments: [AttachmentRecord.ID] = []) throws(StorageError) {
    guard draft.body.utf8.count <= DraftRecord.maxBody else {
      throw StorageError(.tooLarge, "a draft has more than \(DraftRecord.maxBody) bytes")
    }
    let d = draft
    try put(
      DraftRecord.change, or: DraftRecord.insertion, d.body, d.quoteAuthor, d.quoteSentAt, d.editTarget,
      d.updatedAt,
      d.threadID)
    // New links first: an attachment that stays must not be released in between.
    let start: Int = try value(DraftRecord.nextPosition, d.threadID) ?? 0
    for (position, attachment) in attachments.enumerated() {
      try run(DraftRecord.linking, d.threadID, start + position, attachment)
    }
    try run(DraftRecord.unlinking, d.threadID, start)
    note(.updated, .draft(of: d.threadID))
    note(.updated, .thread(d.threadID))
  }

  /// Deletes a draft; where its message is sent, in the transaction that inserts it.
  public func deleteDraft(of thread: ThreadRecord.ID) throws(StorageError) {
    try run(DraftRecord.deletion, thread)
    note(.deleted, .draft(of: thread))
    note(.updated, .thread(thread))
  }
}
