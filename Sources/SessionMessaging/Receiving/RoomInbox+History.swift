import SessionCore
import SessionNetworking
import SessionStorage

// Older messages of rooms, and those between messages that are here.

extension RoomInbox {
  /// The message of a room before which messages are missing: after the newest gap, or the oldest one here. Nil if there
  /// is nothing before it, or no message at all.
  func placeToContinue(in room: Community.Place, onlyGaps: Bool) async throws -> Int64? {
    try await context.database.read { transaction in
      guard let thread = try transaction.thread(at: Conversation.ID.room(room).address),
        let record = try transaction.community(thread.id)
      else { return nil }
      if let gap = try transaction.gaps(in: thread.id).first { return gap.above }
      return try onlyGaps || record.isComplete ? nil : transaction.oldestNumber(in: thread.id)
    }
  }

  /// Asks for the page of messages before one, and stores it. They are no news. Returns how many of them are new here.
  func fetch(
    before number: Int64, in room: Community.Place, by connection: CommunityConnection
  ) async throws -> Int {
    let (newest, newestNumber) = try await context.database.read { transaction in
      let thread = try transaction.thread(at: Conversation.ID.room(room).address)
      return (
        try transaction.newestInteraction(),
        try thread.flatMap { thread in try transaction.newestNumber(in: thread.id) } ?? 0
      )
    }
    let page = try await connection.perform(.messages(.before(number: number), in: room))
    let conversation = Conversation.ID.room(room)
    let posts = try signedPosts(among: page.messages, in: conversation)
    let isFull = page.isFull()
    let count = try await write(from: .room(room), readingBlocked: !posts.isEmpty) { receiver, transaction in
      guard let thread = try transaction.thread(at: conversation.address),
        var record = try transaction.community(thread.id)
      else { return 0 }
      var receiver = receiver
      receiver.news = .none
      let before = try transaction.interactionCount(of: thread.id)
      _ = try receiver.take(
        posts, and: page.messages, in: thread, CommunityPermissions(rawValue: record.permissions),
        transaction)
      let count = try transaction.interactionCount(of: thread.id) - before
      try receiver.dropMissing(from: page, in: thread, upTo: newest, numbered: newestNumber, transaction)
      let oldest = page.messages.map(\.number).min() ?? 0
      if let gap = try transaction.gaps(in: thread.id).first(where: { $0.above == number }) {
        if isFull, oldest > gap.below {
          try transaction.put(RoomGapRecord(below: gap.below, above: oldest), in: thread.id)
        } else {
          try transaction.deleteGap(below: gap.below, in: thread.id)
        }
      } else if !isFull {
        record.isComplete = true
        try transaction.put(record)
      }
      return count
    }
    return count ?? 0
  }
}

extension MessageReceiver {
  /// Deletes messages that a page of the newest or older ones lacks, although it has every message between its first and
  /// its last. Whispers, posts that the server hides, and what was stored or got its number after the request stay.
  func dropMissing(
    from page: CommunityPage, in thread: ThreadRecord, upTo newest: InteractionRecord.ID,
    numbered newestNumber: Int64, _ transaction: borrowing WriteTransaction
  ) throws {
    let numbers = Set(page.messages.map(\.number))
    guard let first = numbers.min(), let last = numbers.max() else { return }
    for row in try transaction.interactions(in: thread.id, numbered: first...last) {
      guard let number = row.serverID, !numbers.contains(number), row.id <= newest, number <= newestNumber,
        !row.isDeleted, !row.isWhisper, !row.isFiltered
      else { continue }
      try transaction.cancelTransfers(of: row, at: context.jobTime)
      try transaction.deletePendingReactions(to: number, in: thread.id)
      try transaction.tell(.messageDeleted, row, at: now)
      // What comes again is taken.
      try transaction.delete(row)
      try transaction.requestFileSweep(at: context.jobTime)
    }
  }
}

extension WriteTransaction {
  /// The most gaps of a room that are remembered.
  private static var maxGaps: Int { 16 }

  /// Remembers that messages are missing between those that are here and a page of the newest ones.
  func noteGap(before page: CommunityPage, isFull: Bool, in room: ThreadRecord.ID) throws {
    guard isFull, let oldest = page.messages.map(\.number).min(),
      try interaction(in: room, serverID: oldest) == nil,
      // A post of ours may be here that is newer.
      let newest = try newestNumber(in: room, below: oldest)
    else { return }
    try put(RoomGapRecord(below: newest, above: oldest), in: room)
    for gap in try gaps(in: room).dropFirst(Self.maxGaps) { try deleteGap(below: gap.below, in: room) }
  }
}

private enum HistoryStatements {
  static let newest: SQL = "SELECT max(id) FROM interaction"
}

extension Reading where Self: ~Copyable {
  /// The message that was stored last.
  func newestInteraction() throws -> InteractionRecord.ID {
    let found: InteractionRecord.ID?? = try value(HistoryStatements.newest)
    return (found ?? nil) ?? InteractionRecord.ID(rawValue: 0)
  }
}
