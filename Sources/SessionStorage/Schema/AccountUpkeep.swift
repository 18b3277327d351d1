import SessionCore

private enum AccountRepairs {
  /// A conversation that only its messages remember. Where all that came in is from one person, it was with that
  /// person, most likely.
  static let threads: SQL = """
    INSERT INTO thread (id, address, kind, createdAt, isVisible) \
    SELECT threadID, CASE WHEN authors = 1 AND author NOT IN (SELECT address FROM thread) \
      THEN author ELSE 'salvaged:' || threadID END, 0, begun, 1 \
    FROM (SELECT threadID, count(DISTINCT author) AS authors, max(author) AS author, min(sentAt) AS begun \
      FROM (SELECT threadID, sentAt, CASE WHEN kind = 0 THEN author END AS author FROM interaction \
        WHERE threadID NOT IN (SELECT id FROM thread)) GROUP BY threadID)
    """

  private static let usesOfFile: SQL = """
    ((SELECT count(*) FROM attachment WHERE fileID = file.id) \
    + (SELECT count(*) FROM profile WHERE pictureFileID = file.id) \
    + (SELECT count(*) FROM closedGroup WHERE pictureFileID = file.id) \
    + (SELECT count(*) FROM community WHERE imageFileID = file.id))
    """
  private static let firstUsesOfAttachment: SQL = """
    (SELECT count(*) FROM linkPreview WHERE attachmentID = attachment.id) \
    + (SELECT count(*) FROM interactionAttachment WHERE attachmentID = attachment.id) \
    + (SELECT count(*) FROM draftAttachment WHERE attachmentID = attachment.id)
    """
  private static let usesOfAttachment: SQL = """
    (\(firstUsesOfAttachment) \
    + (SELECT count(*) FROM scheduledAttachment WHERE attachmentID = attachment.id))
    """
  static let hasScheduled: SQL = "SELECT 1 FROM sqlite_master WHERE name = 'scheduledAttachment'"

  static let addresses: SQL = "SELECT address, kind FROM thread"

  static let wrongFileCounts: SQL = "SELECT count(*) FROM file WHERE referenceCount <> \(usesOfFile)"
  static let wrongAttachmentCounts: SQL =
    "SELECT count(*) FROM attachment WHERE referenceCount <> \(usesOfAttachment)"
  /// Deletes rows whose last reference was lost.
  static let unusedAttachments: SQL =
    "DELETE FROM attachment WHERE referenceCount > 0 AND \(usesOfAttachment) = 0"
  static let unusedFiles: SQL = "DELETE FROM file WHERE referenceCount > 0 AND \(usesOfFile) = 0"
  static let attachmentCounts: SQL = "UPDATE attachment SET referenceCount = \(usesOfAttachment)"
  /// The same for a schema without messages to send later, as archives may have.
  static let firstUnusedAttachments: SQL =
    "DELETE FROM attachment WHERE referenceCount > 0 AND \(firstUsesOfAttachment) = 0"
  static let firstAttachmentCounts: SQL = "UPDATE attachment SET referenceCount = \(firstUsesOfAttachment)"
  static let fileCounts: SQL = "UPDATE file SET referenceCount = \(usesOfFile)"

  /// Events may have been lost, so that every reader has missed some: all begin anew, behind a gap.
  static let events: SQL = "DELETE FROM event"
  /// The newest event that a reader knows, and the time, in milliseconds.
  static let lastKnown: SQL = "SELECT ifnull(max(acknowledged), 0) FROM eventReader"
  static let now: SQL = "SELECT strftime('%s', 'now') * 1000"
}

extension SchemaUpkeep {
  static let account = SchemaUpkeep(
    unsalvaged: AccountTables.ratchetTables,
    problems: { (transaction) throws(StorageError) in
      var problems: [String] = []
      let files: Int = try transaction.value(AccountRepairs.wrongFileCounts) ?? 0
      if files > 0 { problems.append("file: \(files) rows have a wrong reference count") }
      let attachments: Int = try transaction.value(AccountRepairs.wrongAttachmentCounts) ?? 0
      if attachments > 0 {
        problems.append("attachment: \(attachments) rows have a wrong reference count")
      }
      let threads = try transaction.misnamedThreads()
      if threads > 0 {
        problems.append(
          "thread: \(threads) rows have a malformed address, or one of another kind, and are not shown")
      }
      do throws(StorageError) { try transaction.checkSearch() } catch {
        guard error.code == .corrupt else { throw error }
        problems.append("messageSearch: the search index does not match the messages")
      }
      return problems
    },
    replaceLost: { (transaction) throws(StorageError) in
      try transaction.run(AccountRepairs.threads)
    },
    derive: { (transaction) throws(StorageError) in
      let hasScheduled = try transaction.exists(AccountRepairs.hasScheduled)
      for repair in [
        hasScheduled ? AccountRepairs.unusedAttachments : AccountRepairs.firstUnusedAttachments,
        AccountRepairs.unusedFiles,
        hasScheduled ? AccountRepairs.attachmentCounts : AccountRepairs.firstAttachmentCounts,
        AccountRepairs.fileCounts, AccountRepairs.events,
      ] { try transaction.run(repair) }
      try transaction.beginEventNumbers(at: try transaction.value(AccountRepairs.now) ?? 0)
      try transaction.skipEventNumbers(upTo: try transaction.value(AccountRepairs.lastKnown) ?? 0)
      try transaction.rebuildSearch()
    })
}

extension Reading where Self: ~Copyable {
  /// The number of conversations whose address is not the exact form of one of their kind.
  fileprivate func misnamedThreads() throws(StorageError) -> Int {
    let isNamed = try map(AccountRepairs.addresses) { (row) throws(StorageError) in
      let (address, kind): (String, Int) = (try row[0], try row[1])
      return ThreadRecord.Kind(rawValue: kind)?.allows(address) ?? false
    }
    return isNamed.count { !$0 }
  }
}

extension ThreadRecord.Kind {
  fileprivate func allows(_ address: String) -> Bool {
    switch self {
    case .contact: SessionID.isExact(address, [.standard, .blinded15, .blinded25])
    case .group: SessionID.isExact(address, [.group])
    case .community:
      (try? Community.Place(address: address)).map { "\($0.server)/\($0.room)" == address } ?? false
    case .legacyGroup: false
    }
  }
}

extension SessionID {
  fileprivate static func isExact(_ text: String, _ kinds: Set<Kind>) -> Bool {
    guard let id = try? SessionID(parsing: text) else { return false }
    return kinds.contains(id.kind) && id.description == text
  }
}
