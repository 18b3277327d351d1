private enum SchemaStatements {
  /// Excludes what SQLite creates itself: indexes of constraints, and statistics.
  static let everything: SQL = """
    SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master \
    WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name
    """
}

extension Reading where Self: ~Copyable {
  /// A checksum (FNV-1a) of all tables, indexes and triggers, which detects changes from outside. It is no
  /// protection against an attacker.
  func schemaChecksum() throws(StorageError) -> Int64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    try forEach(SchemaStatements.everything) { (row) throws(StorageError) in
      var text: String = try row[0]
      text.withUTF8 { bytes in
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      }
      sum = (sum ^ 0xff) &* 0x100_0000_01b3
      return true
    }
    return Int64(bitPattern: sum)
  }
}
