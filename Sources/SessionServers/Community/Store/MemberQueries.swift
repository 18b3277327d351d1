import SessionStorage

extension Reading where Self: ~Copyable {
  /// Those who have read a room since a time, the last one first.
  func members(
    of room: Int64, since time: Int64, limit: Int
  ) throws(StorageError) -> [(id: String, last: Int64, created: Int64)] {
    try map(
      """
      SELECT coalesce(p.shown, p.named), v.last, p.created FROM visit v JOIN person p ON p.id = v.person
      WHERE v.room = ?1 AND v.last >= ?2 AND coalesce(p.shown, p.named) IS NOT NULL ORDER BY v.last DESC, p.id LIMIT ?3
      """, room, time, limit
    ) { (row) throws(StorageError) in (id: try row[0], last: try row[1], created: try row[2]) }
  }
}
