private enum SchemaStatements {
  /// What the engine makes by itself, indexes of constraints and statistics, is no part of it.
  static let everything: SQL = """
    SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master \
    WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name
    """
}

extension Reading where Self: ~Copyable {
  /// A number for all tables, indexes and triggers as they were written (FNV-1a), by which a change from outside is
  /// noticed. It is no protection from anybody.
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
