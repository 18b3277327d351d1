/// A message of an archive with all that belongs to it.
struct ArchiveParcel {
  struct Attachment {
    let record: AttachmentRecord
    /// Its content, where it travelled.
    let file: FileRecord?
  }

  struct Preview {
    let record: LinkPreviewRecord
    let image: Attachment?
  }

  let message: InteractionRecord
  let quote: QuoteRecord?
  let reactions: [ReactionRecord]
  let hashes: [String]
  let attachments: [Attachment]
  let preview: Preview?

  var files: [FileRecord] { attachments.compactMap(\.file) + [preview?.image?.file].compactMap(\.self) }
  var hasFiles: Bool { !files.isEmpty }
}

private enum ParcelStatements {
  static let page: SQL =
    "SELECT \(InteractionRecord.columns) FROM interaction i WHERE id > ? ORDER BY id LIMIT ?"
  static let note: SQL = """
    SELECT \(InteractionRecord.columns) FROM interaction i \
    WHERE threadID = ? AND sentAt = ? AND author = ? AND kind = ?
    """
  static let uuid: SQL =
    "SELECT \(InteractionRecord.columns) FROM interaction i WHERE threadID = ? AND uuid = ?"
  static let linking: SQL =
    "INSERT INTO interactionAttachment (interactionID, position, attachmentID) VALUES (?, ?, ?)"
}

extension Reading where Self: ~Copyable {
  /// The messages after a number.
  func interactions(
    after id: InteractionRecord.ID, limit: Int
  ) throws(StorageError) -> [InteractionRecord] {
    try all(ParcelStatements.page, id, limit)
  }

  /// The messages after a number, with their parts.
  func parcels(after id: InteractionRecord.ID, limit: Int) throws(StorageError) -> [ArchiveParcel] {
    let messages = try interactions(after: id, limit: limit)
    var parcels: [ArchiveParcel] = []
    for message in messages {
      var attachments: [ArchiveParcel.Attachment] = []
      for record in try self.attachments(of: message.id) { attachments.append(try withFile(record)) }
      parcels.append(
        ArchiveParcel(
          message: message, quote: try quote(of: message.id), reactions: try reactions(to: message.id),
          hashes: try hashes(of: message.id), attachments: attachments, preview: try preview(of: message)))
    }
    return parcels
  }

  /// An attachment with the file of its content.
  func withFile(_ record: AttachmentRecord) throws(StorageError) -> ArchiveParcel.Attachment {
    guard let id = record.fileID else { return .init(record: record, file: nil) }
    return .init(record: record, file: try file(id))
  }

  private func preview(of message: InteractionRecord) throws(StorageError) -> ArchiveParcel.Preview? {
    guard let id = message.linkPreviewID, let record = try linkPreview(id) else { return nil }
    guard let image = record.attachmentID, let attachment = try attachment(image) else {
      return .init(record: record, image: nil)
    }
    return .init(record: record, image: try withFile(attachment))
  }

  /// The message here that is the same as one of an archive.
  func counterpart(
    of message: InteractionRecord, in thread: ThreadRecord.ID
  ) throws(StorageError) -> InteractionRecord? {
    if message.kind.isNote {
      return try first(ParcelStatements.note, thread, message.sentAt, message.author, message.kind)
    }
    if let found = try interaction(in: thread, by: message.author, sentAt: message.sentAt) { return found }
    if let hash = message.serverHash, let found = try interaction(in: thread, serverHash: hash) {
      return found
    }
    if let number = message.serverID, let found = try interaction(in: thread, serverID: number) {
      return found
    }
    guard let uuid = message.uuid else { return nil }
    return try first(ParcelStatements.uuid, thread, uuid)
  }
}

extension WriteTransaction {
  /// The conversation of an archive, which is made here.
  func obtain(_ thread: ThreadRecord) throws(StorageError) -> ThreadRecord {
    var made = try obtainThread(at: thread.address, thread.kind, createdAt: thread.createdAt)
    made.isVisible = thread.isVisible
    made.priority = thread.priority
    made.mutedUntil = thread.mutedUntil
    made.notifies = thread.notifies
    made.sound = thread.sound
    made.lastReadAt = thread.lastReadAt
    made.expiry = thread.expiry
    try update(made)
    return made
  }

  /// The row of a file that was put into the vault.
  func obtain(_ file: FileRecord) throws(StorageError) -> FileRecord.ID {
    if let known = try self.file(at: file.path) { return known.id }
    return try insertFile(
      at: file.path, localKey: file.localKey, byteCount: file.byteCount, createdAt: file.createdAt)
  }

  /// Adds an attachment of an archive.
  func add(_ attachment: ArchiveParcel.Attachment) throws(StorageError) -> AttachmentRecord.ID {
    var record = attachment.record
    record.id = .init(rawValue: 0)
    record.fileID = nil
    if let file = attachment.file { record.fileID = try obtain(file) }
    return try insert(record).id
  }

  /// Adds an attachment behind those that a message has.
  func attach(
    _ attachment: AttachmentRecord.ID, to message: InteractionRecord.ID, at position: Int
  ) throws(StorageError) {
    try run(ParcelStatements.linking, message, position, attachment)
    note(.updated, .interaction(message))
  }
}

extension ReactionRecord {
  /// The same reaction to a message of another number.
  func moved(to message: InteractionRecord.ID) -> ReactionRecord {
    var moved = ReactionRecord(to: message, by: author, emoji: emoji, sentAt: sentAt)
    moved.serverHash = serverHash
    moved.count = count
    moved.sortID = sortID
    return moved
  }
}

extension InteractionRecord.Kind {
  /// True for what is left of a message that was deleted.
  var isDeleted: Bool {
    [.incomingDeleted, .incomingDeletedLocally, .outgoingDeleted, .outgoingDeletedLocally].contains(self)
  }
}
