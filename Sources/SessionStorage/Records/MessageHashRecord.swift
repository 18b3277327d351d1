private enum MessageHashStatements {
  static let found: SQL = "SELECT hash FROM messageHash WHERE interactionID = ? ORDER BY hash"
  static let count: SQL = "SELECT count(*) FROM messageHash WHERE interactionID = ?"
  static let insertion: SQL = "INSERT OR IGNORE INTO messageHash (interactionID, hash) VALUES (?, ?)"
  static let message: SQL = """
    SELECT i.id FROM messageHash h JOIN interaction i ON i.id = h.interactionID WHERE h.hash = ? AND i.threadID = ?
    """
}

extension Reading where Self: ~Copyable {
  /// The hashes under which a swarm may store a message to a group. A swarm has several copies of a message that was
  /// sealed more than once.
  public func hashes(of message: InteractionRecord.ID) throws(StorageError) -> [String] {
    try values(MessageHashStatements.found, message)
  }

  /// The message of which a swarm stores a copy.
  public func interaction(
    in thread: ThreadRecord.ID, withCopy hash: String
  ) throws(StorageError) -> InteractionRecord? {
    if let message = try interaction(in: thread, serverHash: hash) { return message }
    let id: InteractionRecord.ID? = try value(MessageHashStatements.message, hash, thread)
    guard let id else { return nil }
    return try interaction(id)
  }
}

extension WriteTransaction {
  /// Keeps a hash under which a swarm may store a message, unless so many are known.
  public func keep(
    _ hash: String, of message: InteractionRecord.ID, upTo limit: Int64 = .max
  ) throws(StorageError) {
    guard try value(MessageHashStatements.count, message) ?? 0 < limit else { return }
    try run(MessageHashStatements.insertion, message, hash)
  }
}
