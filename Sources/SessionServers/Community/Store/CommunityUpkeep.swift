import SessionService
import SessionStorage
import Synchronization

extension CommunityStore {
  /// Rows that one transaction removes.
  private static let removalCount = 1000
  /// Visits and ids that one transaction writes.
  private static let noteCount = 500
  /// Milliseconds between two times at which rows are removed that no index leads to at once.
  private static let sweepInterval: Int64 = 3_600_000

  /// Writes who has read which room, carries out what is due, and removes what is over. A step that fails is
  /// logged, and the others are done. `isLast` is true before the server stops. Of several processes with the same
  /// rows one does it, except for what each has in its memory.
  func tidy(_ rules: CommunityRules, isLast: Bool = false, now: Int64) async {
    let keepsHouse = await keepsHouse()
    if keepsHouse { await attempt("changes to come", rules) { try await applyFutures(rules, now: now) } }
    await attempt("visits", rules) { try await noteVisits(rules, isLast: isLast, now: now) }
    memory.forgetOld(now: now)
    if isShared { await attempt("size of files", rules) { try await countFiles(rules) } }
    if rules.shelves.becameNearlyFull() {
      rules.options.log(
        .warning, "little room is left for files",
        ["bytes": "\(rules.shelves.bytes)", "most": "\(rules.options.maxFileStore)"])
    }
    guard !isLast, keepsHouse else { return }
    await attempt("files", rules) { try await removeFiles(rules, now: now) }
    await attempt("nonces, letters and the log", rules) {
      try await write { transaction in
        try transaction.removeNonces(now: now)
        try transaction.removeLetters(now: now)
        try transaction.removeLog(limit: Self.removalCount, now: now)
      }
    }
    await attempt("old messages", rules) { try await applyRetention(now: now) }
    guard isSweepDue(now: now) else { return }
    await attempt("former texts", rules) {
      try await write { try $0.removeHistory(rules.options, now: now) }
    }
    await attempt("deleted messages", rules) { try await removeTombstones(now: now) }
    let activeSince = now - rules.options.activeSpan
    await attempt("old visits", rules) {
      try await write { try $0.removeVisits(before: min(activeSince, now - WriteTransaction.visitSpan)) }
    }
  }

  private func attempt(_ step: String, _ rules: CommunityRules, _ body: () async throws -> Void) async {
    do { try await body() } catch {
      rules.options.log(
        .warning, "the database could not be tidied", ["step": step, "reason": "\(error)"])
    }
  }

  private func isSweepDue(now: Int64) -> Bool {
    lastSweep.withLock { last in
      guard now < last || now - last >= Self.sweepInterval else { return false }
      last = now
      return true
    }
  }

  private func applyFutures(_ rules: CommunityRules, now: Int64) async throws {
    let people = try await read { try $0.peopleWithDueFutures(now: now, limit: Self.removalCount) }
    for person in people {
      await attempt("changes to come of a person", rules) {
        try await write { try $0.applyFutures(of: person, now: now) }
      }
    }
  }

  private func noteVisits(_ rules: CommunityRules, isLast: Bool, now: Int64) async throws {
    guard let visits = rules.visits.due(now: now, always: isLast) else { return }
    let activeSince = now - rules.options.activeSpan
    let ids = rules.shownIDs.waiting
    // Changes wait for each of these transactions, so none may take long.
    for part in Array(ids).parts(of: Self.noteCount) {
      try await write { transaction in
        for (person, id) in part { try transaction.show(person, as: id) }
      }
      rules.shownIDs.noteWritten(part)
    }
    for part in Array(visits).parts(of: Self.noteCount) {
      try await write { transaction in
        for (place, visit) in part { try transaction.note(visit, at: place) }
      }
      rules.visits.noteWritten(part)
    }
    try await write { try $0.countActive(since: activeSince) }
  }

  /// Counts the files of all processes.
  private func countFiles(_ rules: CommunityRules) async throws {
    let bytes = try await read { transaction in
      try transaction.takeTime()
      return try transaction.fileBytes()
    }
    rules.shelves.occupy(bytes - rules.shelves.bytes)
  }

  private func removeTombstones(now: Int64) async throws {
    while true {
      let count = try await write { try $0.removeTombstones(limit: Self.removalCount, now: now) }
      guard count == Self.removalCount else { return }
    }
  }

  /// Removes expired files: first the rows, then the content.
  private func removeFiles(_ rules: CommunityRules, now: Int64) async throws {
    // What a backup has kept.
    await removeContent(of: [], from: rules.shelves)
    let before = now - Int64(Self.storingSpan) * 1000
    try await write(.content) { try $0.removeUnplacedContent(before: before) }
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

extension Array {
  /// The elements in parts of at most so many.
  fileprivate func parts(of count: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
  }
}

extension WriteTransaction {
  fileprivate static let day: Int64 = 86_400_000
  /// How long a visit is remembered at least.
  fileprivate static let visitSpan = 60 * day
  private static let tombstoneSpan = 30 * day
  private static let logSpan = 180 * day

  fileprivate func note(_ visit: RoomVisits.Visit, at place: RoomVisits.Place) throws(StorageError) {
    // Another process may have noted a later one.
    let count = try run(
      "UPDATE visit SET last = CASE WHEN last > ?3 THEN last ELSE ?3 END WHERE room = ?1 AND person = ?2",
      place.room, place.person, visit.last)
    if count == 0 {
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
      noteRoom(count.room)
    }
  }

  /// Forgets who has not read a room since a time.
  fileprivate func removeVisits(before time: Int64) throws(StorageError) {
    for room in try rooms() {
      try run("DELETE FROM visit WHERE room = ?1 AND last < ?2", room.id, time)
    }
  }

  fileprivate func removeLetters(now: Int64) throws(StorageError) {
    try run("DELETE FROM inbox WHERE expires <= ?1", now)
  }

  /// Removes the oldest actions of the log, which is in the order of time.
  fileprivate func removeLog(limit: Int, now: Int64) throws(StorageError) {
    var last: Int64?
    try forEach("SELECT id, at FROM log ORDER BY id LIMIT ?1", limit) { (row) throws(StorageError) -> Bool in
      let (id, at): (Int64, Int64) = (try row[0], try row[1])
      guard at < now - Self.logSpan else { return false }
      last = id
      return true
    }
    if let last { try run("DELETE FROM log WHERE id <= ?1", last) }
  }

  /// Removes former texts: of what authors have changed themselves, and of what others have deleted.
  fileprivate func removeHistory(_ options: CommunityServer.Options, now: Int64) throws(StorageError) {
    try run(
      """
      DELETE FROM history
      WHERE at < ?1 AND actor = (SELECT author FROM message WHERE message.id = history.message)
      """, now - Int64(options.ownHistoryDays) * Self.day)
    try run(
      """
      DELETE FROM history
      WHERE at < ?1
        AND (actor IS NULL OR actor <> (SELECT author FROM message WHERE message.id = history.message))
      """, now - Int64(options.historyDays) * Self.day)
  }

  /// Removes what is left of deleted messages, unless former texts are kept. Returns their number.
  fileprivate func removeTombstones(limit: Int, now: Int64) throws(StorageError) -> Int {
    let messages: [Int64] = try values(
      """
      SELECT id FROM message
      WHERE deleted < ?1 AND NOT EXISTS (SELECT 1 FROM history WHERE history.message = message.id)
      ORDER BY deleted LIMIT ?2
      """, now - Self.tombstoneSpan, limit)
    if !messages.isEmpty { noteRoom(nil) }
    for message in messages { try run("DELETE FROM message WHERE id = ?1", message) }
    return messages.count
  }

  /// Removes messages without a trace, except pinned ones. Those of a room are in the order of time.
  fileprivate func removeMessages(
    of room: Int64, before time: Int64, limit: Int, now: Int64
  ) throws(StorageError) {
    var messages: [Int64] = []
    try forEach(
      """
      SELECT id, posted FROM message
      WHERE room = ?1 AND id NOT IN (SELECT message FROM pin WHERE room = ?1) ORDER BY id LIMIT ?2
      """, room, limit
    ) { (row) throws(StorageError) -> Bool in
      let (id, posted): (Int64, Int64) = (try row[0], try row[1])
      guard posted < time else { return false }
      messages.append(id)
      return true
    }
    if !messages.isEmpty { noteRoom(room) }
    for message in messages {
      try run("UPDATE file SET expires = ?2 WHERE message = ?1 AND \(.isNoPicture)", message, now)
      try run("DELETE FROM message WHERE id = ?1", message)
    }
  }
}
