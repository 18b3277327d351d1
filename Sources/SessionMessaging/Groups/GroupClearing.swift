import SessionCore
import SessionJobs
import SessionStorage

/// Deletes what an admin of a group cleared, in pieces.
struct GroupClearing: JobKind {
  static let kind = "groupClearing"
  static let queue = Groups.queue
  static let retry = RetryPolicy.unlimited
  /// The number of messages deleted in one transaction.
  static let pieceSize = 200

  let group: SessionID

  var uniqueKey: String? { group.address }
  var partition: String? { Groups.partition(of: group) }
}

extension Groups {
  func makeClearing() -> JobHandler {
    JobHandler(GroupClearing.self) { [self] clearing, _ in
      let isDone = try await write { [context] transaction, now in
        guard let thread = try transaction.thread(at: clearing.group.address),
          let record = try transaction.group(thread.id)
        else { return true }
        let covered = try transaction.messages(clearedIn: record)
        let isAdmin = try transaction.isAdmin(context.own, ofGroup: thread.id)
        let hashes = try covered.flatMap { message in
          try transaction.storedHashes(of: message)
            + transaction.reactions(to: message.id).compactMap(\.serverHash)
        }
        for message in covered {
          try transaction.cancelDeliveries(of: message, at: context.jobTime)
          try transaction.delete(message)
          try transaction.tell(.messageDeleted, message, at: now)
        }
        if covered.contains(where: { $0.linkPreviewID != nil }) { try transaction.deleteUnusedLinkPreviews() }
        if isAdmin { try transaction.requestDeletion(of: hashes, from: clearing.group, context) }
        if !covered.isEmpty { try transaction.requestFileSweep(at: context.jobTime) }
        return covered.count < GroupClearing.pieceSize
      }
      return isDone ? .done : .again(at: jobTime)
    }
  }
}

private enum ClearingStatements {
  static let covered: SQL = """
    SELECT i.id FROM interaction i WHERE i.threadID = ? AND (i.sentAt < ? OR (i.sentAt < ? AND EXISTS \
    (SELECT 1 FROM interactionAttachment a WHERE a.interactionID = i.id))) ORDER BY i.sentAt LIMIT ?
    """
}

extension Reading where Self: ~Copyable {
  /// The messages that were sent up to the times until which a group was cleared, up to the size of a piece.
  fileprivate func messages(clearedIn group: GroupRecord) throws -> [InteractionRecord] {
    // A second is covered as a whole.
    let (all, files) = (group.deletesBefore, group.deletesFilesBefore)
    let ids: [InteractionRecord.ID] = try values(
      ClearingStatements.covered, group.threadID, all > 0 ? (all + 1) * 1000 : 0,
      files > 0 ? (files + 1) * 1000 : 0, GroupClearing.pieceSize)
    return try ids.compactMap { id in try interaction(id) }
  }

  func isAdmin(_ person: SessionID, ofGroup group: ThreadRecord.ID) throws -> Bool {
    try member(person.address, of: group)?.isAdmin == true
  }
}
