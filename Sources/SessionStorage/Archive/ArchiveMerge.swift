import SessionCore

/// Adds the content of an archive to an account that is there: the archive was imported into a folder of its own before.
///
/// Rows of the account keep their numbers, and win over those of the archive where these rules do not say otherwise. Each
/// transaction leaves a whole account. A second run changes nothing, so that one that was interrupted is begun again.
public struct ArchiveMerge: Sendable {
  /// The database and the folder of an account.
  struct Side: Sendable {
    let database: Database
    let folder: String
  }

  /// The most messages in a transaction.
  static let messagesTogether = 500
  /// The most rows of other tables in a transaction.
  static let rowsTogether = 2000
  /// The allowed clock difference between a sender and the device that deleted a conversation, in milliseconds.
  private static let tolerance: Int64 = 120_000

  let source: Side
  let target: Side
  /// The id of the account.
  let own: String
  /// The names of the settings that travel.
  let settings: [String]
  /// True if messages are taken that were deleted here.
  let bringsBack: Bool
  /// Called before each transaction; it ends the merge by throwing.
  let watch: @Sendable () throws -> Void

  /// Merges an imported account, in its folder, into that of an account. `own` is the id of both.
  public init(
    from source: Database, in folder: String, into target: Database, in targetFolder: String, own: String,
    settings: [String], bringingBack: Bool, watch: @escaping @Sendable () throws -> Void = {}
  ) {
    self.source = Side(database: source, folder: folder)
    self.target = Side(database: target, folder: targetFolder)
    self.own = own
    self.settings = settings
    bringsBack = bringingBack
    self.watch = watch
  }

  /// Merges all tables. Blocks its thread. `finish` is called in the last transaction.
  public func run(
    finish: (borrowing WriteTransaction, ArchiveMergeReport) throws -> Void
  ) throws -> ArchiveMergeReport {
    var report = ArchiveMergeReport()
    let threads = try source.database.read { transaction in
      try transaction.threads(areVisible: true) + transaction.threads(areVisible: false)
    }
    let byID = Dictionary(threads.map { ($0.id, $0) }) { first, _ in first }
    try mergeThreads(threads, &report)
    try mergeProfiles(&report)
    try mergeMessages(of: byID, &report)
    try mergeDrafts(of: threads, &report)
    try mergeTags(&report)
    try mergeScheduled(&report)
    try mergeSync(of: byID, &report)
    try watch()
    try target.database.write { transaction in
      try mergeSettings(transaction, &report)
      try finish(transaction, report)
    }
    return report
  }

  // MARK: - Messages

  private func mergeMessages(
    of threads: [ThreadRecord.ID: ThreadRecord], _ report: inout ArchiveMergeReport
  ) throws {
    var last = InteractionRecord.ID(rawValue: 0)
    while true {
      let parcels = try source.database.read { transaction in
        try transaction.parcels(after: last, limit: Self.messagesTogether)
      }
      guard let final = parcels.last else { return }
      last = final.message.id
      try mergeFiles(of: parcels, threads)
      try watch()
      var tally = ArchiveMergeReport.Tally()
      try target.database.write { transaction in
        tally = .init()
        for parcel in parcels {
          guard let thread = threads[parcel.message.threadID] else { continue }
          try merge(parcel, in: thread, &tally, transaction)
        }
      }
      report.add(tally, to: "interaction")
    }
  }

  /// Puts the files of these messages that are missing here into the vault.
  private func mergeFiles(
    of parcels: [ArchiveParcel], _ threads: [ThreadRecord.ID: ThreadRecord]
  ) throws {
    let files = try target.database.read { transaction in
      var files: [FileRecord] = []
      for parcel in parcels {
        guard parcel.hasFiles, let thread = threads[parcel.message.threadID] else { continue }
        let here = try transaction.thread(at: thread.address)
        let known = try here.flatMap { here in try transaction.counterpart(of: parcel.message, in: here.id) }
        guard let known else {
          guard try !isDropped(parcel.message, in: thread, transaction) else { continue }
          files += parcel.files
          continue
        }
        guard !known.kind.isDeleted, !parcel.message.kind.isDeleted else { continue }
        let present = try transaction.attachments(of: known.id)
        for (position, part) in parcel.attachments.enumerated()
        where position >= present.count || present[position].fileID == nil {
          if let file = part.file { files.append(file) }
        }
      }
      return files
    }
    try bring(files)
  }

  /// Links files of the archive into the vault of the account, announced first as all files are.
  func bring(_ files: [FileRecord]) throws {
    let missing = try target.database.read { transaction in
      try files.filter { try transaction.file(at: $0.path) == nil }
    }
    guard !missing.isEmpty else { return }
    try watch()
    try target.database.write { transaction in
      for file in missing { try transaction.announceFile(at: file.path, at: file.createdAt) }
    }
    for file in missing {
      try AccountFiles(target.database, in: target.folder).adopt(file.path, from: source.folder)
    }
  }

  /// True if a message that is not here stays away: it was deleted here, or its conversation was.
  private func isDropped(
    _ message: InteractionRecord, in thread: ThreadRecord, _ transaction: borrowing some Reading & ~Copyable
  ) throws -> Bool {
    // Groups and communities come with the configs alone.
    guard try thread.kind == .contact || transaction.thread(at: thread.address) != nil else { return true }
    guard !bringsBack else { return false }
    if let hash = message.serverHash {
      for address in [own, thread.address] where try transaction.hasSeen(hash, in: address) { return true }
    }
    guard let tombstone = try transaction.tombstone(of: thread.address) else { return false }
    return message.sentAt <= tombstone.at - Self.tolerance
  }

  private func merge(
    _ parcel: ArchiveParcel, in thread: ThreadRecord, _ tally: inout ArchiveMergeReport.Tally,
    _ transaction: borrowing WriteTransaction
  ) throws {
    let here = try transaction.thread(at: thread.address)
    if let here, let known = try transaction.counterpart(of: parcel.message, in: here.id) {
      tally.here += 1
      return try merge(parcel, into: known, transaction)
    }
    guard try !isDropped(parcel.message, in: thread, transaction) else {
      tally.skipped += 1
      return
    }
    let place = try here ?? transaction.obtain(thread)
    if bringsBack, !place.isVisible {
      var shown = place
      shown.isVisible = true
      try transaction.update(shown)
    }
    var message = parcel.message
    message.wasRead = message.wasRead || message.sentAt <= place.lastReadAt
    message.id = .init(rawValue: 0)
    message.threadID = place.id
    message.linkPreviewID = try parcel.preview.map { preview in
      try transaction.obtainLinkPreview(
        of: preview.record.url, at: preview.record.window, preview.record.kind, title: preview.record.title,
        image: try preview.image.map { try transaction.add($0) })
    }
    message = try transaction.insert(message)
    tally.added += 1
    if let quote = parcel.quote {
      try transaction.insert(QuoteRecord(of: message.id, author: quote.author, sentAt: quote.sentAt))
    }
    try transaction.attach(try parcel.attachments.map { try transaction.add($0) }, to: message.id)
    try mergeParts(parcel, into: message.id, transaction)
  }

  /// Adds to a message that is here what this side lacks.
  private func merge(
    _ parcel: ArchiveParcel, into known: InteractionRecord, _ transaction: borrowing WriteTransaction
  ) throws {
    let other = parcel.message
    var merged = known
    merged.wasRead = known.wasRead || other.wasRead
    merged.readByRecipientAt = [known.readByRecipientAt, other.readByRecipientAt].compactMap(\.self).min()
    guard !known.kind.isDeleted else {
      if merged != known { try transaction.update(merged) }
      return
    }
    guard !other.kind.isDeleted else {
      merged.kind = other.kind
      merged.body = nil
      merged.linkPreviewID = nil
      try transaction.update(merged)
      try transaction.detachAll(from: known.id)
      return try transaction.deleteReactions(to: known.id)
    }
    // What was edited on one side only, or differently, is of another version: the newer one stays whole.
    guard known.editedAt == other.editedAt else {
      if merged != known { try transaction.update(merged) }
      return try mergeParts(parcel, into: known.id, transaction)
    }
    // A text that was cut begins like the whole one.
    if let whole = other.body, let cut = known.body, whole.utf8.count > cut.utf8.count, whole.hasPrefix(cut) {
      merged.body = whole
    }
    if merged != known { try transaction.update(merged) }
    let present = try transaction.attachments(of: known.id)
    for (position, part) in parcel.attachments.enumerated() {
      guard position < present.count else {
        try transaction.attach(try transaction.add(part), to: known.id, at: position)
        continue
      }
      guard present[position].fileID == nil, let file = part.file else { continue }
      var attachment = present[position]
      attachment.fileID = try transaction.obtain(file)
      attachment.state = part.record.state
      try transaction.update(attachment)
    }
    try mergeParts(parcel, into: known.id, transaction)
  }

  private func mergeParts(
    _ parcel: ArchiveParcel, into id: InteractionRecord.ID, _ transaction: borrowing WriteTransaction
  ) throws {
    let present = Set(try transaction.reactions(to: id).map { [$0.author, $0.emoji] })
    for reaction in parcel.reactions where !present.contains([reaction.author, reaction.emoji]) {
      try transaction.put(reaction.moved(to: id))
    }
    for hash in parcel.hashes { try transaction.keep(hash, of: id) }
  }
}
