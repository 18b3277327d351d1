/// An attachment of a message.
public struct AttachmentRecord: Hashable, Sendable {
  public typealias ID = RowID<AttachmentRecord>

  public enum Kind: Int, Sendable, DatabaseValue {
    case file = 0
    case voice = 1
  }

  public enum State: Int, Sendable, CaseIterable, DatabaseValue {
    case failedDownload = 0
    case pendingDownload = 1
    case downloading = 2
    case downloaded = 3
    case failedUpload = 4
    case uploading = 5
    case uploaded = 6
    case invalid = 100
  }

  /// Zero until it is stored.
  public var id = ID(rawValue: 0)
  public var serverID: String?
  public let kind: Kind
  public var state: State
  public var contentType: String
  public var byteCount: Int64
  public let createdAt: Int64
  public var name: String?
  /// Its caption.
  public var caption: String?
  public var url: String?
  public var width: Int64?
  public var height: Int64?
  public var duration: Double?
  /// Its key on the server.
  public var key: [UInt8]?
  public var digest: [UInt8]?
  public var fileID: FileRecord.ID?

  public init(_ kind: Kind, _ state: State, contentType: String, byteCount: Int64, createdAt: Int64) {
    self.kind = kind
    self.state = state
    self.contentType = contentType
    self.byteCount = byteCount
    self.createdAt = createdAt
  }
}

extension AttachmentRecord: Record {
  private static let columns: SQL = """
    a.id, a.serverID, a.kind, a.state, a.contentType, a.byteCount, a.createdAt, a.name, a.url, a.width, a.height, \
    a.duration, a.key, a.digest, a.fileID, a.caption
    """

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    serverID = try row[1]
    kind = try row[2]
    state = try row[3]
    contentType = try row[4]
    byteCount = try row[5]
    createdAt = try row[6]
    name = try row[7]
    url = try row[8]
    width = try row[9]
    height = try row[10]
    duration = try row[11]
    key = try row[12]
    digest = try row[13]
    fileID = try row[14]
    caption = try row[15]
  }

  fileprivate static let byID: SQL = "SELECT \(columns) FROM attachment a WHERE id = ?"
  fileprivate static let byInteraction: SQL = """
    SELECT \(columns) FROM interactionAttachment l JOIN attachment a ON a.id = l.attachmentID \
    WHERE l.interactionID = ? ORDER BY l.position
    """
  /// The columns of the message follow those of the attachment.
  fileprivate static let byInteractions: SQL = """
    \(SQL.list) SELECT \(columns), l.interactionID FROM list CROSS JOIN interactionAttachment l \
    JOIN attachment a ON a.id = l.attachmentID WHERE l.interactionID = list.id ORDER BY l.interactionID, l.position
    """
  fileprivate static let byIDs: SQL = """
    \(SQL.list) SELECT \(columns) FROM list CROSS JOIN attachment a WHERE a.id = list.id
    """
  fileprivate static let byDraft: SQL = """
    SELECT \(columns) FROM draftAttachment l JOIN attachment a ON a.id = l.attachmentID \
    WHERE l.threadID = ? ORDER BY l.position
    """
  fileprivate static let byScheduled: SQL = """
    SELECT \(columns) FROM scheduledAttachment l JOIN attachment a ON a.id = l.attachmentID \
    WHERE l.scheduledID = ? ORDER BY l.position
    """
  fileprivate static let byURL: SQL = "SELECT \(columns) FROM attachment a WHERE url = ? ORDER BY id"
  fileprivate static let unsettled: SQL =
    "SELECT \(columns) FROM attachment a WHERE state IN (1, 2, 5) ORDER BY id"
  fileprivate static let insertion: SQL = """
    INSERT INTO attachment (serverID, kind, state, contentType, byteCount, createdAt, name, url, width, height, \
    duration, key, digest, fileID, caption) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let change: SQL = """
    UPDATE attachment SET serverID = ?, state = ?, contentType = ?, byteCount = ?, name = ?, url = ?, width = ?, \
    height = ?, duration = ?, key = ?, digest = ?, fileID = ?, caption = ? WHERE id = ?
    """
  fileprivate static let linking: SQL =
    "INSERT INTO interactionAttachment (interactionID, position, attachmentID) VALUES (?, ?, ?)"
  fileprivate static let unlinking: SQL = "DELETE FROM interactionAttachment WHERE interactionID = ?"
  fileprivate static let referenceCount: SQL = "SELECT referenceCount FROM attachment WHERE id = ?"
  fileprivate static let deletionOfUnused: SQL =
    "DELETE FROM attachment WHERE referenceCount = 0 AND createdAt < ?"
}

extension Reading where Self: ~Copyable {
  public func attachment(_ id: AttachmentRecord.ID) throws(StorageError) -> AttachmentRecord? {
    try first(AttachmentRecord.byID, id)
  }

  /// The attachments of a message, in their order.
  public func attachments(of id: InteractionRecord.ID) throws(StorageError) -> [AttachmentRecord] {
    try all(AttachmentRecord.byInteraction, id)
  }

  /// The attachments of many messages, each in their order.
  public func attachments(
    of messages: RowList<InteractionRecord>
  ) throws(StorageError) -> [InteractionRecord.ID: [AttachmentRecord]] {
    var found: [InteractionRecord.ID: [AttachmentRecord]] = [:]
    try forEach(AttachmentRecord.byInteractions, messages) { (row) throws(StorageError) in
      found[try row[16], default: []].append(try AttachmentRecord(row))
      return true
    }
    return found
  }

  public func attachments(_ ids: RowList<AttachmentRecord>) throws(StorageError) -> [AttachmentRecord] {
    try all(AttachmentRecord.byIDs, ids)
  }

  /// The attachments of a draft, in their order.
  public func draftAttachments(of thread: ThreadRecord.ID) throws(StorageError) -> [AttachmentRecord] {
    try all(AttachmentRecord.byDraft, thread)
  }

  /// The attachments of a message that is sent later, in their order.
  public func attachments(of id: ScheduledRecord.ID) throws(StorageError) -> [AttachmentRecord] {
    try all(AttachmentRecord.byScheduled, id)
  }

  public func attachments(from url: String) throws(StorageError) -> [AttachmentRecord] {
    try all(AttachmentRecord.byURL, url)
  }

  /// Attachments that wait for their transfer, or were in the middle of it.
  public func unsettledAttachments() throws(StorageError) -> [AttachmentRecord] {
    try all(AttachmentRecord.unsettled)
  }

  /// The number of messages, sent or to be sent, drafts and links that refer to an attachment.
  public func referenceCount(of id: AttachmentRecord.ID) throws(StorageError) -> Int {
    try value(AttachmentRecord.referenceCount, id) ?? 0
  }
}

extension WriteTransaction {
  /// Keeps an attachment, and returns it with its number.
  @discardableResult
  public func insert(_ attachment: AttachmentRecord) throws(StorageError) -> AttachmentRecord {
    var attachment = attachment
    let a = attachment
    attachment.id = AttachmentRecord.ID(
      rawValue: try insert(
        AttachmentRecord.insertion, a.serverID, a.kind, a.state, a.contentType, a.byteCount, a.createdAt,
        a.name,
        a.url, a.width, a.height, a.duration, a.key, a.digest, a.fileID, a.caption))
    note(.inserted, .attachment(attachment.id))
    return attachment
  }

  public func update(_ attachment: AttachmentRecord) throws(StorageError) {
    let a = attachment
    try run(
      AttachmentRecord.change, a.serverID, a.state, a.contentType, a.byteCount, a.name, a.url, a.width,
      a.height,
      a.duration, a.key, a.digest, a.fileID, a.caption, a.id)
    note(.updated, .attachment(a.id))
  }

  /// Adds attachments to a message, in this order.
  public func attach(
    _ attachments: [AttachmentRecord.ID], to id: InteractionRecord.ID
  ) throws(StorageError) {
    for (position, attachment) in attachments.enumerated() {
      try run(AttachmentRecord.linking, id, position, attachment)
    }
    note(.updated, .interaction(id))
  }

  /// Removes all attachments from a message; those without other references are deleted.
  public func detachAll(from id: InteractionRecord.ID) throws(StorageError) {
    try run(AttachmentRecord.unlinking, id)
    note(.updated, .interaction(id))
  }

  /// Deletes attachments that were made before a time, and that nothing came to refer to.
  @discardableResult
  public func deleteUnusedAttachments(createdBefore time: Int64) throws(StorageError) -> Int {
    try run(AttachmentRecord.deletionOfUnused, time)
  }
}
