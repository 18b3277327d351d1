import SessionStorage

extension CommunityStore {
  /// Writes who has read which room, counts the active ones, and removes what is over.
  func tidy(_ rules: CommunityRules, now: Int64) async throws {
    let visits = rules.visits.drain()
    let activeSince = now - rules.options.activeSpan
    try await write { transaction in
      for (place, visit) in visits { try transaction.note(visit, at: place) }
      try transaction.countActive(since: activeSince)
      try transaction.removeNonces(now: now)
    }
  }
}

extension WriteTransaction {
  /// Days after which a visit is forgotten.
  private static let visitSpan: Int64 = 60 * 86_400_000

  fileprivate func note(_ visit: RoomVisits.Visit, at place: RoomVisits.Place) throws(StorageError) {
    let known: Int64? = try value(
      "SELECT last FROM visit WHERE room = ?1 AND person = ?2", place.room, place.person)
    guard let known else {
      guard try exists("SELECT 1 FROM room WHERE id = ?1", place.room) else { return }
      try run(
        "INSERT INTO visit (room, person, first, last) VALUES (?1, ?2, ?3, ?4)", place.room, place.person,
        visit.first, visit.last)
      try run("UPDATE person SET active = ?2 WHERE id = ?1 AND active < ?2", place.person, visit.last)
      return
    }
    guard visit.last - known >= RoomVisits.precision else { return }
    try run(
      "UPDATE visit SET last = ?3 WHERE room = ?1 AND person = ?2", place.room, place.person, visit.last)
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
}
