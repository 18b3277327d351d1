/// The message that another one replies to, by author and time. Resolved when it is shown.
public struct QuoteRecord: Record, Hashable {
  public let interactionID: InteractionRecord.ID
  public let author: String
  public let sentAt: Int64

  public init(of interactionID: InteractionRecord.ID, author: String, sentAt: Int64) {
    self.interactionID = interactionID
    self.author = author
    self.sentAt = sentAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    interactionID = try row[0]
    author = try row[1]
    sentAt = try row[2]
  }

  fileprivate static let byID: SQL = "SELECT interactionID, author, sentAt FROM quote WHERE interactionID = ?"
  fileprivate static let byIDs: SQL = """
    \(SQL.list) SELECT q.interactionID, q.author, q.sentAt FROM list CROSS JOIN quote q WHERE q.interactionID = list.id
    """
  fileprivate static let insertion: SQL = "INSERT INTO quote (interactionID, author, sentAt) VALUES (?, ?, ?)"
  fileprivate static let moving: SQL = """
    UPDATE quote SET author = ?, sentAt = ? WHERE author = ? AND sentAt = ? \
    AND interactionID IN (SELECT id FROM interaction WHERE threadID = ?)
    """
}

/// A reaction: one emoji of one person.
public struct ReactionRecord: Record, Hashable {
  public let interactionID: InteractionRecord.ID
  public let author: String
  public let emoji: String
  public let sentAt: Int64
  public var serverHash: String?
  /// The number of people, if a community only counts them.
  public var count = 1
  public var sortID: Int64 = 0

  public init(to interactionID: InteractionRecord.ID, by author: String, emoji: String, sentAt: Int64) {
    self.interactionID = interactionID
    self.author = author
    self.emoji = emoji
    self.sentAt = sentAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    interactionID = try row[0]
    author = try row[1]
    emoji = try row[2]
    sentAt = try row[3]
    serverHash = try row[4]
    count = try row[5]
    sortID = try row[6]
  }

  fileprivate static let byInteraction: SQL = """
    SELECT interactionID, author, emoji, sentAt, serverHash, count, sortID FROM reaction WHERE interactionID = ? \
    ORDER BY sortID, id
    """
  fileprivate static let byInteractions: SQL = """
    \(SQL.list) SELECT r.interactionID, r.author, r.emoji, r.sentAt, r.serverHash, r.count, r.sortID \
    FROM list CROSS JOIN reaction r WHERE r.interactionID = list.id ORDER BY r.interactionID, r.sortID, r.id
    """
  fileprivate static let change: SQL = """
    UPDATE reaction SET sentAt = ?, serverHash = ?, count = ?, sortID = ? \
    WHERE interactionID = ? AND author = ? AND emoji = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO reaction (sentAt, serverHash, count, sortID, interactionID, author, emoji) VALUES (?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL =
    "DELETE FROM reaction WHERE interactionID = ? AND author = ? AND emoji = ?"
  fileprivate static let deletionOfAll: SQL = "DELETE FROM reaction WHERE interactionID = ?"
}

/// The preview of a link. Messages of about the same time share it.
public struct LinkPreviewRecord: Record, Hashable {
  public typealias ID = RowID<LinkPreviewRecord>

  public enum Kind: Int, Sendable, DatabaseValue {
    case page = 0
    case communityInvitation = 1
  }

  public let id: ID
  public let url: String
  public let window: Int64
  public let kind: Kind
  public let title: String?
  public let attachmentID: AttachmentRecord.ID?

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    url = try row[1]
    window = try row[2]
    kind = try row[3]
    title = try row[4]
    attachmentID = try row[5]
  }

  private static let columns: SQL = "SELECT id, url, window, kind, title, attachmentID FROM linkPreview"
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let byIDs: SQL = "\(SQL.list) \(columns) WHERE id IN (SELECT id FROM list)"
  fileprivate static let byURL: SQL = "\(columns) WHERE url = ? AND window = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO linkPreview (url, window, kind, title, attachmentID) VALUES (?, ?, ?, ?, ?)"
  fileprivate static let illustration: SQL = "UPDATE linkPreview SET attachmentID = ? WHERE id = ?"
  fileprivate static let deletionOfUnused: SQL = """
    DELETE FROM linkPreview WHERE id NOT IN (SELECT linkPreviewID FROM interaction WHERE linkPreviewID IS NOT NULL)
    """

  fileprivate static let deletionIfUnused: SQL = """
    DELETE FROM linkPreview WHERE id = ? \
    AND NOT EXISTS (SELECT 1 FROM interaction WHERE linkPreviewID = linkPreview.id)
    """

  /// The spans of time within which a link is taken to lead to the same.
  public static let windowLength: Int64 = 100_000_000

  /// The window that a time belongs to.
  public static func window(of time: Int64) -> Int64 { time / windowLength * windowLength }
}

extension Reading where Self: ~Copyable {
  public func quote(of id: InteractionRecord.ID) throws(StorageError) -> QuoteRecord? {
    try first(QuoteRecord.byID, id)
  }

  public func reactions(to id: InteractionRecord.ID) throws(StorageError) -> [ReactionRecord] {
    try all(ReactionRecord.byInteraction, id)
  }

  public func quotes(of messages: RowList<InteractionRecord>) throws(StorageError) -> [QuoteRecord] {
    try all(QuoteRecord.byIDs, messages)
  }

  /// The reactions to many messages, those to each in their order.
  public func reactions(to messages: RowList<InteractionRecord>) throws(StorageError) -> [ReactionRecord] {
    try all(ReactionRecord.byInteractions, messages)
  }

  public func linkPreviews(_ ids: RowList<LinkPreviewRecord>) throws(StorageError) -> [LinkPreviewRecord] {
    try all(LinkPreviewRecord.byIDs, ids)
  }

  public func linkPreview(_ id: LinkPreviewRecord.ID) throws(StorageError) -> LinkPreviewRecord? {
    try first(LinkPreviewRecord.byID, id)
  }
}

extension WriteTransaction {
  public func insert(_ quote: QuoteRecord) throws(StorageError) {
    try run(QuoteRecord.insertion, quote.interactionID, quote.author, quote.sentAt)
    note(.updated, .interaction(quote.interactionID))
  }

  /// Has the quotes of a message follow it to another author and time.
  public func moveQuotes(of message: InteractionRecord, to other: InteractionRecord) throws(StorageError) {
    guard message.author != other.author || message.sentAt != other.sentAt else { return }
    try run(
      QuoteRecord.moving, other.author, other.sentAt, message.author, message.sentAt, message.threadID)
  }

  /// Adds a reaction, or replaces the same one of the same person.
  public func put(_ reaction: ReactionRecord) throws(StorageError) {
    let r = reaction
    try put(
      ReactionRecord.change, or: ReactionRecord.insertion, r.sentAt, r.serverHash, r.count, r.sortID,
      r.interactionID, r.author, r.emoji)
    note(.updated, .interaction(r.interactionID))
  }

  public func deleteReaction(
    to id: InteractionRecord.ID, by author: String, emoji: String
  ) throws(StorageError) {
    try run(ReactionRecord.deletion, id, author, emoji)
    note(.updated, .interaction(id))
  }

  public func deleteReactions(to id: InteractionRecord.ID) throws(StorageError) {
    try run(ReactionRecord.deletionOfAll, id)
    note(.updated, .interaction(id))
  }

  /// Stores a link preview once for all messages of a window; its first image is kept.
  public func obtainLinkPreview(
    of url: String, at time: Int64, _ kind: LinkPreviewRecord.Kind, title: String?,
    image attachment: AttachmentRecord.ID? = nil
  ) throws(StorageError) -> LinkPreviewRecord.ID {
    let window = LinkPreviewRecord.window(of: time)
    let found: LinkPreviewRecord? = try first(LinkPreviewRecord.byURL, url, window)
    if let found {
      if found.attachmentID == nil, let attachment {
        try run(LinkPreviewRecord.illustration, attachment, found.id)
      }
      return found.id
    }
    return LinkPreviewRecord.ID(
      rawValue: try insert(LinkPreviewRecord.insertion, url, window, kind, title, attachment))
  }

  /// Deletes a link preview if no message has it any more.
  public func deleteUnusedLinkPreview(_ id: LinkPreviewRecord.ID) throws(StorageError) {
    try run(LinkPreviewRecord.deletionIfUnused, id)
  }

  /// Deletes link previews without messages, and returns their number.
  @discardableResult
  public func deleteUnusedLinkPreviews() throws(StorageError) -> Int {
    try run(LinkPreviewRecord.deletionOfUnused)
  }
}
