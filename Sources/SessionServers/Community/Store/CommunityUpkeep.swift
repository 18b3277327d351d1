import SessionStorage

extension CommunityStore {
  /// Rows that one transaction removes.
  private static let removalCount = 1000

  /// Writes who has read which room, carries out what is due, and removes what is over. `isLast` is true before the
  /// server stops.
  func tidy(_ rules: CommunityRules, isLast: Bool = false, now: Int64) async throws {
    try await applyFutures(now: now)
    try await noteVisits(rules, isLast: isLast, now: now)
    guard !isLast else { return }
    try await removeFiles(rules, now: now)
    let options = rules.options
    try await write { transaction in
      try transaction.removeNonces(now: now)
      try transaction.removeExpired(options, limit: Self.removalCount, now: now)
    }
    try await applyRetention(now: now)
  }

  private func applyFutures(now: Int64) async throws {
    let people = try await read { try $0.peopleWithDueFutures(now: now, limit: Self.removalCount) }
    for person in people { try await write { try $0.applyFutures(of: person, now: now) } }
  }

  private func noteVisits(_ rules: CommunityRules, isLast: Bool, now: Int64) async throws {
    guard let visits = rules.visits.drain(now: now, always: isLast) else { return }
    let activeSince = now - rules.options.activeSpan
    try await write { transaction in
      for (place, visit) in visits { try transaction.note(visit, at: place) }
      try transaction.countActive(since: activeSince)
    }
  }

  /// Removes expired files: first the rows, then the content.
  private func removeFiles(_ rules: CommunityRules, now: Int64) async throws {
    while true {
      let files = try await write { try $0.removeExpiredFiles(limit: Self.removalCount, now: now) }
      guard !files.isEmpty else { return }
      await removeContent(of: files, from: rules.shelves)
    }
  }

  /// Removes old messages of rooms that keep them for a time only.
  private func applyRetention(now: Int64) async throws {
    for room in try await read({ try $0.rooms() }) {
      guard let days = room.retention else { continue }
      let before = now - days * 86_400_000
      try await write {
        try $0.removeMessages(of: room.id, before: before, limit: Self.removalCount, now: now)
      }
    }
  }
}

extension WriteTransaction {
  private static let day: Int64 = 86_400_000
  /// Days after which a visit is forgotten, beyond those that count as active.
  private static let visitSpan = 60 * day
  private static let tombstoneSpan = 30 * day
  private static let logSpan = 180 * day

  fileprivate func note(_ visit: RoomVisits.Visit, at place: RoomVisits.Place) throws(StorageError) {
    let known: Int64? = try value(
      "SELECT last FROM visit WHERE room = ?1 AND person = ?2", place.room, place.person)
    if let known {
      guard visit.last - known >= RoomVisits.precision else { return }
      try run(
        "UPDATE visit SET last = ?3 WHERE room = ?1 AND person = ?2", place.room, place.person, visit.last)
    } else {
      // Who was banned since is not active.
      guard try room(id: place.room) != nil, try override(of: place.person, in: place.room)?.isBanned != true
      else { return }
      try run(
        "INSERT INTO visit (room, person, first, last) VALUES (?1, ?2, ?3, ?4)", place.room, place.person,
        visit.first, visit.last)
    }
    try run("UPDATE person SET active = ?2 WHERE id = ?1 AND active < ?2", place.person, visit.last)
  }

  /// Counts who has read each room since a time.
  fileprivate func countActive(since time: Int64) throws(StorageError) {
    let counts = try map(
      "SELECT id, active, (SELECT count(*) FROM visit WHERE visit.room = room.id AND last > ?1) FROM room",
      time
    ) { (row) throws(StorageError) -> (room: Int64, old: Int64, new: Int64) in
      (try row[0], try row[1], try row[2])
    }
    for count in counts where count.old != count.new {
      try run("UPDATE room SET active = ?2 WHERE id = ?1", count.room, count.new)
    }
    try run("DELETE FROM visit WHERE last < ?1", time - Self.visitSpan)
  }

  fileprivate func removeExpired(
    _ options: CommunityServer.Options, limit: Int, now: Int64
  ) throws(StorageError) {
    let tombstones: [Int64] = try values(
      "SELECT id FROM message WHERE deleted < ?1 ORDER BY deleted LIMIT ?2", now - Self.tombstoneSpan, limit)
    for message in tombstones { try run("DELETE FROM message WHERE id = ?1", message) }
    let days = Int64(max(options.historyDays, options.ownHistoryDays))
    try run("DELETE FROM history WHERE at < ?1", now - days * Self.day)
    try run("DELETE FROM inbox WHERE expires <= ?1", now)
    try run("DELETE FROM log WHERE at < ?1", now - Self.logSpan)
  }

  /// Removes messages without a trace, except pinned ones.
  fileprivate func removeMessages(
    of room: Int64, before time: Int64, limit: Int, now: Int64
  ) throws(StorageError) {
    let messages: [Int64] = try values(
      """
      SELECT id FROM message WHERE room = ?1 AND posted < ?2
        AND id NOT IN (SELECT message FROM pin WHERE room = ?1) ORDER BY id LIMIT ?3
      """, room, time, limit)
    for message in messages {
      try run("UPDATE file SET expires = ?2 WHERE message = ?1", message, now)
      try run("DELETE FROM message WHERE id = ?1", message)
    }
  }
}
