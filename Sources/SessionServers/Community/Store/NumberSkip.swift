import SessionStorage

extension WriteTransaction {
  /// How far numbers move on: more than a server gives out between two backups.
  private static let skip: Int64 = 1_000_000
  /// The tables whose numbers clients remember.
  private static let tables = ["message", "file", "inbox", "log"]

  /// Moves on what numbers come next. Clients have seen numbers after those of a backup: a server that gave them again
  /// would have its clients pass over what is new, and numbers in old messages would lead to other files.
  func skipNumbers() throws(StorageError) {
    try run("UPDATE room SET sequence = sequence + ?1, info = info + ?1", Self.skip)
    noteRoom(nil)
    for table in Self.tables { try skipNumbers(of: table, Self.skip) }
  }
}
