/// A page of found messages, and where the next one begins.
public struct SearchPage: Sendable {
  /// The message that was sent last comes first.
  public let found: [InteractionRecord]
  /// The cursor for the next page; nil if there is none.
  public let next: SearchPlace?
}

private enum MessageSearch {
  private static let found: SQL = """
    SELECT \(InteractionRecord.columns) FROM messageSearch s JOIN messageText m ON m.place = s.docid \
    JOIN interaction i ON i.id = m.interactionID
    """
  static let everywhere: SQL = """
    \(found) JOIN thread t ON t.id = i.threadID LEFT JOIN contact c ON c.id = t.address \
    WHERE s.text MATCH ? AND s.docid < ? AND ifnull(c.isBlocked, 0) = 0 ORDER BY s.docid DESC LIMIT ?
    """
  static let inThread: SQL = "\(found) WHERE s.text MATCH ? AND s.docid < ? ORDER BY s.docid DESC LIMIT ?"
  static let nameOf: SQL = "SELECT searchName FROM profile WHERE id = ?"
  static let placeOf: SQL = "SELECT place FROM messageText WHERE interactionID = ?"
  static let isTaken: SQL = "SELECT 1 FROM messageText WHERE place = ? AND interactionID <> ?"
  static let change: SQL = "UPDATE messageText SET place = ?, text = ? WHERE interactionID = ?"
  static let insertion: SQL =
    "INSERT INTO messageText (place, interactionID, text, threadID) VALUES (?, ?, ?, ?)"
  static let deletion: SQL = "DELETE FROM messageText WHERE interactionID = ?"
  static let names: SQL = """
    SELECT t.id FROM thread t LEFT JOIN profile p ON p.id = t.address LEFT JOIN closedGroup g ON g.threadID = t.id \
    LEFT JOIN community c ON c.threadID = t.id \
    WHERE ifnull(g.searchName, ifnull(c.searchName, p.searchName)) LIKE ? ESCAPE '\\' ORDER BY t.id LIMIT ?
    """
  static let rebuilding: SQL = "INSERT INTO messageSearch (messageSearch) VALUES ('rebuild')"
  static let optimising: SQL = "INSERT INTO messageSearch (messageSearch) VALUES ('optimize')"
  static let checking: SQL = "INSERT INTO messageSearch (messageSearch) VALUES ('integrity-check')"
}

extension Reading where Self: ~Copyable {
  /// Messages that contain all words, the last of which may be incomplete. Messages of blocked people are left out,
  /// except in their own conversations. Text without words finds nothing.
  public func search(
    _ words: String, in thread: ThreadRecord.ID? = nil, before place: SearchPlace? = nil, limit: Int = 100
  ) throws(StorageError) -> SearchPage {
    guard let query = SearchText.query(words, in: thread) else { return SearchPage(found: [], next: nil) }
    let statement = thread == nil ? MessageSearch.everywhere : MessageSearch.inThread
    let found: [InteractionRecord] = try all(statement, query, place ?? .end, limit)
    guard let last = found.last, found.count == limit else { return SearchPage(found: found, next: nil) }
    return SearchPage(found: found, next: try value(MessageSearch.placeOf, last.id))
  }

  /// The place of a message in the search index; nil if it cannot be found there.
  public func searchPlace(of message: InteractionRecord.ID) throws(StorageError) -> SearchPlace? {
    try value(MessageSearch.placeOf, message)
  }

  /// Conversations with people, groups and communities whose names contain a text.
  public func threads(named text: String, limit: Int = 100) throws(StorageError) -> [ThreadRecord.ID] {
    try values(MessageSearch.names, SearchText.pattern(text), limit)
  }
}

extension WriteTransaction {
  /// Updates the search text of a message. Notes are not searched. Mentioned people are found by the names they had
  /// then.
  func makeFound(_ interaction: InteractionRecord, isNew: Bool) throws(StorageError) {
    let text = interaction.kind.isNote ? "" : SearchText.indexed(try readable(interaction.body ?? ""))
    guard !text.isEmpty else {
      if !isNew { try run(MessageSearch.deletion, interaction.id) }
      return
    }
    var place = SearchPlace(of: interaction)
    while try exists(MessageSearch.isTaken, place, interaction.id) { place = place.next }
    if !isNew, try run(MessageSearch.change, place, text, interaction.id) > 0 { return }
    try run(MessageSearch.insertion, place, interaction.id, text, interaction.threadID)
  }

  /// The text as its reader sees it.
  private func readable(_ body: String) throws(StorageError) -> String {
    try SearchMentions.replaced(in: body) { (id) throws(StorageError) in try value(MessageSearch.nameOf, id) }
  }

  /// Rebuilds the search index from the messages.
  func rebuildSearch() throws(StorageError) { try run(MessageSearch.rebuilding) }

  /// Brings the search into its most compact form.
  func optimiseSearch() throws(StorageError) { try run(MessageSearch.optimising) }

  /// Compares the search with the texts: `corrupt` where they differ.
  func checkSearch() throws(StorageError) { try run(MessageSearch.checking) }
}
