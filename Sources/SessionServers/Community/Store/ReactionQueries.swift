import SessionStorage

/// All reactions to a message with one emoji.
struct ReactionSummary: Hashable, Sendable {
  let emoji: String
  let count: Int64
  /// The ids of the first who reacted.
  var reactors: [String]
  /// True if the caller is among all of them.
  var isOfCaller: Bool
}

extension Reading where Self: ~Copyable {
  /// The reactions to a message in the order of their first use.
  func reactions(
    to message: Int64, reactors limit: Int, for caller: Int64
  ) throws(StorageError) -> [ReactionSummary] {
    let found = try map(
      """
      SELECT emoji, count(*), max(CASE WHEN person = ?2 THEN 1 ELSE 0 END)
      FROM reaction WHERE message = ?1 GROUP BY emoji ORDER BY min(place), emoji
      """, message, caller
    ) { (row) throws(StorageError) in
      ReactionSummary(emoji: try row[0], count: try row[1], reactors: [], isOfCaller: try row[2])
    }
    guard limit > 0 else { return found }
    return try found.map { (summary) throws(StorageError) in
      var summary = summary
      summary.reactors = try reactors(message, summary.emoji, limit: limit).map(\.id)
      return summary
    }
  }

  /// Who reacted with an emoji, the first one first. People of an imported server of whom nothing is known have no id.
  func reactors(
    _ message: Int64, _ emoji: String, limit: Int
  ) throws(StorageError) -> [(id: String, at: Int64)] {
    try map(
      """
      SELECT coalesce(p.shown, p.named), r.at FROM reaction r JOIN person p ON p.id = r.person
      WHERE r.message = ?1 AND r.emoji = ?2 AND coalesce(p.shown, p.named) IS NOT NULL ORDER BY r.at, r.person LIMIT ?3
      """, message, emoji, limit
    ) { (row) throws(StorageError) in (id: try row[0], at: try row[1]) }
  }
}
