import SessionBase
import SessionCore
import SessionJobs
import SessionStorage

/// Deletes files without references.
struct FileSweeping: JobKind {
  static let kind = "fileSweeping"
  static let queue = Upkeep.queue

  var uniqueKey: String? { "" }
}

extension Files {
  func makeFileSweeping() -> JobHandler {
    JobHandler(FileSweeping.self) { [self] _, _ in
      guard let vault else { return .done }
      let sweep = try await queue.run { try vault.removeReleased() }
      if let failure = sweep.failures.first { throw failure.error }
      return .done
    }
  }

  /// Deletes every file that nothing refers to, and marks missing files for another download.
  func sweepFiles() async throws {
    guard let vault else { return }
    let now = try time().stored
    let sweep = try await queue.run { try vault.sweep(at: now) }
    for failure in sweep.failures { environment.log(.warn, .files, "not-removed", .error(failure.error)) }
    if !sweep.missing.isEmpty { environment.log(.error, .files, "missing", .count(sweep.missing.count)) }
    try await write { [self] transaction, _ in
      for file in sweep.missing { try transaction.forgetContent(file.id) }
      for person in try transaction.peopleWithoutPicture() {
        try transaction.requestPicture(of: person, context)
      }
    }
  }
}

private enum FileSweepingStatements {
  static let unseen: SQL =
    "SELECT id FROM profile WHERE pictureURL IS NOT NULL AND pictureFileID IS NULL ORDER BY id"
  static let attachments: SQL = "SELECT id FROM attachment WHERE fileID = ?"
  static let pictures: SQL = "UPDATE profile SET pictureFileID = NULL WHERE pictureFileID = ?"
}

extension Reading where Self: ~Copyable {
  /// People whose picture is known but not stored here.
  fileprivate func peopleWithoutPicture() throws -> [SessionID] {
    let ids: [String] = try values(FileSweepingStatements.unseen)
    return ids.compactMap { SessionID($0) }
  }
}

extension WriteTransaction {
  /// Requests a sweep, if this transaction released any file.
  func requestFileSweep(at now: Int64) throws {
    guard try !orphanFiles(announcedBefore: .min).isEmpty else { return }
    try enqueue(FileSweeping(), at: now)
  }

  /// Records that the content of a file is no longer stored here.
  fileprivate func forgetContent(_ file: FileRecord.ID) throws {
    let ids: [AttachmentRecord.ID] = try values(FileSweepingStatements.attachments, file)
    for id in ids {
      guard var record = try attachment(id) else { continue }
      record.fileID = nil
      record.state = record.url == nil ? .failedUpload : .pendingDownload
      try update(record)
    }
    try run(FileSweepingStatements.pictures, file)
  }
}
