// What the user arranged: tags of conversations, and messages that are sent later.
extension ArchiveMerge {
  /// Tags and their conversations: both sides together, up to the limits of this side.
  func mergeTags(_ report: inout ArchiveMergeReport) throws {
    let (tags, uses) = try source.database.read { transaction in
      (try transaction.tags(), try transaction.tagUses())
    }
    guard !tags.isEmpty else { return }
    try watch()
    var (tally, tallyOfUses) = (ArchiveMergeReport.Tally(), ArchiveMergeReport.Tally())
    try target.database.write { transaction in
      (tally, tallyOfUses) = (.init(), .init())
      var numbers: [TagRecord.ID: TagRecord.ID] = [:]
      var count = try transaction.tags().count
      for tag in tags {
        if let here = try transaction.tag(named: tag.searchName) {
          tally.here += 1
          numbers[tag.id] = here.id
        } else if count < TagRecord.limit {
          var copy = TagRecord(
            tag.name, searchName: tag.searchName, emoji: tag.emoji,
            position: try transaction.nextTagPosition())
          copy = try transaction.insert(copy)
          numbers[tag.id] = copy.id
          tally.added += 1
          count += 1
        } else {
          tally.skipped += 1
        }
      }
      for use in uses {
        let present = try transaction.tags(of: use.address)
        guard let tag = numbers[use.tag] else {
          tallyOfUses.skipped += 1
          continue
        }
        guard !present.contains(where: { $0.id == tag }) else {
          tallyOfUses.here += 1
          continue
        }
        guard present.count < TagRecord.limitOfConversation else {
          tallyOfUses.skipped += 1
          continue
        }
        try transaction.add(tag, to: use.address)
        tallyOfUses.added += 1
      }
    }
    report.add(tally, to: "tag")
    report.add(tallyOfUses, to: "threadTag")
  }

  /// Messages that were to be sent later, and never were. None of them is sent from here.
  func mergeScheduled(_ report: inout ArchiveMergeReport) throws {
    let found = try source.database.read { transaction in
      try transaction.allScheduled().filter { $0.state != .sent }.map { scheduled in
        (scheduled, try transaction.attachments(of: scheduled.id).map { try transaction.withFile($0) })
      }
    }
    for (scheduled, attachments) in found {
      let isHere = try target.database.read { transaction in
        try transaction.allScheduled().contains {
          $0.address == scheduled.address && $0.createdAt == scheduled.createdAt && $0.body == scheduled.body
        }
      }
      guard !isHere else {
        report.add(.init(here: 1), to: "scheduled")
        continue
      }
      try bring(attachments.compactMap(\.file))
      try watch()
      try target.database.write { transaction in
        var copy = scheduled
        (copy.jobID, copy.interactionID, copy.settledAt) = (nil, nil, nil)
        try transaction.insert(copy, attachments: try attachments.map { try transaction.add($0) })
      }
      report.add(.init(added: 1), to: "scheduled")
    }
  }
}
