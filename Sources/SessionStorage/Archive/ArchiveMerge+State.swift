import SessionCore

private enum MergeStatements {
  static let threadTimes: SQL =
    "UPDATE thread SET createdAt = min(createdAt, ?), lastReadAt = max(lastReadAt, ?) WHERE id = ?"
  static let profiles: SQL = "SELECT id FROM profile WHERE id > ? ORDER BY id LIMIT ?"
  static let seen: SQL = """
    SELECT address, identifier, expiresAt, diesWithThread FROM seenMessage \
    WHERE (address, identifier) > (?, ?) ORDER BY address, identifier LIMIT ?
    """
  static let receipts: SQL = """
    SELECT threadID, sentAt, readAt, expiresAt FROM pendingReadReceipt WHERE (threadID, sentAt) > (?, ?) \
    ORDER BY threadID, sentAt LIMIT ?
    """
}

// The state of conversations and people, which is smaller than the messages.
extension ArchiveMerge {
  /// Conversations that are here. Those that are not come with their first message.
  func mergeThreads(_ threads: [ThreadRecord], _ report: inout ArchiveMergeReport) throws {
    for start in stride(from: 0, to: threads.count, by: Self.rowsTogether) {
      try watch()
      var tally = ArchiveMergeReport.Tally()
      try target.database.write { transaction in
        tally = .init()
        for thread in threads[start..<min(start + Self.rowsTogether, threads.count)] {
          guard let here = try transaction.thread(at: thread.address) else { continue }
          tally.here += 1
          guard thread.createdAt < here.createdAt || thread.lastReadAt > here.lastReadAt else { continue }
          try transaction.run(MergeStatements.threadTimes, thread.createdAt, thread.lastReadAt, here.id)
          transaction.note(.updated, .thread(here.id))
        }
      }
      report.add(tally, to: "thread")
    }
  }

  /// Profiles: the one that was updated later stays. Nicknames come with the configs.
  func mergeProfiles(_ report: inout ArchiveMergeReport) throws {
    var last = ""
    while true {
      let profiles = try source.database.read { transaction in
        let ids: [String] = try transaction.values(MergeStatements.profiles, last, Self.rowsTogether)
        return try ids.compactMap { id -> (ProfileRecord, FileRecord?)? in
          guard let profile = try transaction.profile(id) else { return nil }
          return (profile, try profile.pictureFileID.flatMap { try transaction.file($0) })
        }
      }
      guard let final = profiles.last else { return }
      last = final.0.id
      let newer = try target.database.read { transaction in
        try profiles.filter { profile, _ in
          guard profile.id != own else { return false }
          return try transaction.profile(profile.id).map { $0.updatedAt < profile.updatedAt } ?? true
        }
      }
      try bring(newer.compactMap(\.1))
      try watch()
      var tally = ArchiveMergeReport.Tally()
      try target.database.write { transaction in
        tally = .init(here: profiles.count - newer.count)
        for (profile, file) in newer {
          var merged = profile
          let here = try transaction.profile(profile.id)
          if here == nil { tally.added += 1 } else { tally.here += 1 }
          merged.nickname = here?.nickname ?? (here == nil ? profile.nickname : nil)
          merged.pictureFileID = try file.map { try transaction.obtain($0) }
          try transaction.put(merged)
        }
      }
      report.add(tally, to: "profile")
    }
  }

  /// Drafts of conversations that have none.
  func mergeDrafts(of threads: [ThreadRecord], _ report: inout ArchiveMergeReport) throws {
    for thread in threads {
      let found = try source.database.read { transaction in
        try transaction.draft(of: thread.id).map { draft in
          (draft, try transaction.draftAttachments(of: thread.id).map { try transaction.withFile($0) })
        }
      }
      guard let (draft, attachments) = found else { continue }
      let here = try target.database.read { transaction in
        try transaction.thread(at: thread.address).map { here in
          (here.id, try transaction.draft(of: here.id), try transaction.draftAttachments(of: here.id))
        }
      }
      guard let (place, own, files) = here else { continue }
      guard own.map({ $0.body.isEmpty && files.isEmpty }) ?? true, own?.body != draft.body else {
        report.add(.init(here: 1), to: "draft")
        continue
      }
      try bring(attachments.compactMap(\.file))
      try watch()
      try target.database.write { transaction in
        var merged = DraftRecord(in: place, body: draft.body, updatedAt: draft.updatedAt)
        merged.quoteAuthor = draft.quoteAuthor
        merged.quoteSentAt = draft.quoteSentAt
        try transaction.put(merged, attachments: try attachments.map { try transaction.add($0) })
      }
      report.add(.init(added: 1), to: "draft")
    }
  }

  /// The hashes of messages that were seen, receipts that wait for their messages, and configs that are missing here.
  func mergeSync(
    of threads: [ThreadRecord.ID: ThreadRecord], _ report: inout ArchiveMergeReport
  ) throws {
    try mergeSeen(&report)
    try mergeReceipts(of: threads, &report)
    let dumps = try source.database.read { transaction in
      try transaction.configDumps().filter { $0.owner == own }
    }
    try watch()
    var tally = ArchiveMergeReport.Tally()
    try target.database.write { transaction in
      tally = .init()
      let kinds = Set(try transaction.configDumps().filter { $0.owner == own }.map(\.kind))
      for dump in dumps {
        guard !kinds.contains(dump.kind) else {
          tally.here += 1
          continue
        }
        try transaction.put(dump)
        tally.added += 1
      }
    }
    report.add(tally, to: "configDump")
  }

  private func mergeSeen(_ report: inout ArchiveMergeReport) throws {
    var (address, identifier) = ("", "")
    while true {
      let page = try source.database.read { [address, identifier] transaction in
        try transaction.map(MergeStatements.seen, address, identifier, Self.rowsTogether) {
          (row) throws(StorageError) in
          SeenMessage(try row[1], in: try row[0], expiresAt: try row[2], diesWithThread: try row[3])
        }
      }
      guard let last = page.last else { return }
      (address, identifier) = (last.address, last.identifier)
      try watch()
      var tally = ArchiveMergeReport.Tally()
      try target.database.write { transaction in
        tally = .init()
        for seen in page {
          // What is not here was not taken either: it comes from the network.
          guard try seen.address == own || transaction.thread(at: seen.address) != nil else {
            tally.skipped += 1
            continue
          }
          if try transaction.insertNew(seen) { tally.added += 1 } else { tally.here += 1 }
        }
      }
      report.add(tally, to: "seenMessage")
    }
  }

  private func mergeReceipts(
    of threads: [ThreadRecord.ID: ThreadRecord], _ report: inout ArchiveMergeReport
  ) throws {
    var (thread, sentAt) = (Int64.min, Int64.min)
    while true {
      let page = try source.database.read { [thread, sentAt] transaction in
        try transaction.map(MergeStatements.receipts, thread, sentAt, Self.rowsTogether) {
          (row) throws(StorageError) in
          PendingReadReceipt(
            in: try row[0], sentAt: try row[1], readAt: try row[2], expiresAt: try row[3])
        }
      }
      guard let last = page.last else { return }
      (thread, sentAt) = (last.threadID.rawValue, last.sentAt)
      try watch()
      var tally = ArchiveMergeReport.Tally()
      try target.database.write { transaction in
        tally = .init()
        for receipt in page {
          guard let address = threads[receipt.threadID]?.address,
            let here = try transaction.thread(at: address)
          else { continue }
          guard try transaction.pendingReadReceipt(in: here.id, sentAt: receipt.sentAt) == nil else {
            tally.here += 1
            continue
          }
          try transaction.put(
            PendingReadReceipt(
              in: here.id, sentAt: receipt.sentAt, readAt: receipt.readAt, expiresAt: receipt.expiresAt))
          tally.added += 1
        }
      }
      report.add(tally, to: "pendingReadReceipt")
    }
  }

  /// Settings that this account does not have.
  func mergeSettings(
    _ transaction: borrowing WriteTransaction, _ report: inout ArchiveMergeReport
  ) throws {
    var tally = ArchiveMergeReport.Tally()
    for name in settings {
      guard let value = try source.database.read({ try $0.settingValue(name) }) else { continue }
      guard try transaction.settingValue(name) == nil else {
        tally.here += 1
        continue
      }
      let insertion = try transaction.statements.connection.prepare(
        "INSERT INTO setting (value, name) VALUES (?, ?)")
      insertion.bind(value, 0)
      insertion.bind(name, 1)
      _ = try insertion.step()
      transaction.note(.updated, .setting(name))
      tally.added += 1
    }
    report.add(tally, to: "setting")
  }
}

extension Reading where Self: ~Copyable {
  /// The value of a setting of any type.
  fileprivate func settingValue(_ name: String) throws(StorageError) -> ArchiveValue? {
    let found = try statements.connection.prepare("SELECT value FROM setting WHERE name = ?")
    found.bind(name, 0)
    return try found.step() ? ArchiveValue(found.row.columns[0]) : nil
  }
}
