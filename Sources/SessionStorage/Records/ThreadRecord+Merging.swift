// The conversation with somebody who was met in a community becomes a part of the conversation with their account, once that is
// known.

private enum MergingStatements {
  static let messages: SQL = "UPDATE OR IGNORE interaction SET threadID = ?1 WHERE threadID = ?2"
  static let texts: SQL = """
    UPDATE messageText SET threadID = ?1 WHERE threadID = ?2 \
    AND interactionID IN (SELECT id FROM interaction WHERE threadID = ?1)
    """
  static let jobs: SQL = "UPDATE job SET threadID = ?1 WHERE threadID = ?2"
  static let creation: SQL = "UPDATE thread SET createdAt = min(createdAt, ?) WHERE id = ?"
}

extension WriteTransaction {
  /// Moves everything in a conversation to another one, which keeps its own draft if it has one, and deletes the first.
  public func merge(_ thread: ThreadRecord, into other: ThreadRecord.ID) throws(StorageError) {
    guard var target = try self.thread(other), target.id != thread.id else { return }
    try run(MergingStatements.messages, target.id, thread.id)
    try run(MergingStatements.texts, target.id, thread.id)
    try run(MergingStatements.jobs, target.id, thread.id)
    if let draft = try draft(of: thread.id), try self.draft(of: target.id) == nil {
      var moved = DraftRecord(in: target.id, body: draft.body, updatedAt: draft.updatedAt)
      (moved.quoteAuthor, moved.quoteSentAt) = (draft.quoteAuthor, draft.quoteSentAt)
      try put(moved, attachments: draftAttachments(of: thread.id).map(\.id))
    }
    target.sound = target.sound ?? thread.sound
    target.lastReadAt = max(target.lastReadAt, thread.lastReadAt)
    target.isVisible = target.isVisible || thread.isVisible
    target.isMarkedUnread = target.isMarkedUnread || thread.isMarkedUnread
    try update(target)
    try run(MergingStatements.creation, thread.createdAt, target.id)
    try moveTags(of: thread.address, to: target.address)
    try moveScheduled(of: thread.address, to: target.address)
    try deleteThread(thread.id)
    note(.updated, .messages(of: target.id))
    note(.updated, .unread(in: target.id))
  }
}
