import SessionStorage

/// An action of a moderator, without the text of any message.
struct LogRow: Record, Hashable {
  static let columns: SQL = """
    id, at, what, (SELECT token FROM room WHERE room.id = log.room),
    (SELECT coalesce(shown, named) FROM person WHERE person.id = log.actor),
    (SELECT coalesce(shown, named) FROM person WHERE person.id = log.whom), number, until
    """

  let id: Int64
  let at: Int64
  let what: String
  /// The room; nil for the whole server, or a room that is gone.
  let room: String?
  /// Who did it, nil for the operator, and to whom.
  let actor, whom: String?
  /// The number of a message.
  let number: Int64?
  /// When it ends by itself.
  let until: Int64?

  init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    at = try row[1]
    what = try row[2]
    room = try row[3]
    actor = try row[4]
    whom = try row[5]
    number = try row[6]
    until = try row[7]
  }
}

extension WriteTransaction {
  /// Notes an action for the moderators of a room and the operator.
  func log(
    _ what: String, room: Int64? = nil, by caller: CommunityCaller?, to whom: Int64? = nil,
    number: Int64? = nil, until: Int64? = nil, now: Int64
  ) throws(StorageError) {
    try run(
      "INSERT INTO log (at, room, actor, what, whom, number, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      now, room, caller?.person.id, what, whom, number, until)
  }
}

extension Reading where Self: ~Copyable {
  /// The actions after one, in a room or, for nil, in all.
  func logged(in room: Int64?, since number: Int64, limit: Int) throws(StorageError) -> [LogRow] {
    guard let room else {
      return try all("SELECT \(LogRow.columns) FROM log WHERE id > ?1 ORDER BY id LIMIT ?2", number, limit)
    }
    return try all(
      "SELECT \(LogRow.columns) FROM log WHERE room = ?1 AND id > ?2 ORDER BY id LIMIT ?3", room, number,
      limit)
  }
}
