/// A server of communities.
public struct CommunityServerRecord: Record, Hashable {
  public let url: String
  public let publicKey: [UInt8]
  /// The last message of our inbox and outbox there that we have seen.
  public var inboxLatest: Int64 = 0
  public var outboxLatest: Int64 = 0
  public var pollFailures = 0
  /// The form of our ids there; nil if it is not known.
  public var blinding: Int?

  public init(_ url: String, publicKey: [UInt8]) {
    self.url = url
    self.publicKey = publicKey
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    url = try row[0]
    publicKey = try row[1]
    inboxLatest = try row[2]
    outboxLatest = try row[3]
    pollFailures = try row[4]
    let blinding: Int = try row[5]
    self.blinding = blinding == 0 ? nil : blinding
  }

  private static let columns: SQL =
    "SELECT url, publicKey, inboxLatest, outboxLatest, pollFailures, blinding FROM communityServer"
  fileprivate static let byURL: SQL = "\(columns) WHERE url = ?"
  fileprivate static let everything: SQL = "\(columns) ORDER BY url"
  fileprivate static let change: SQL = """
    UPDATE communityServer SET publicKey = ?, inboxLatest = ?, outboxLatest = ?, pollFailures = ?, blinding = ? \
    WHERE url = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO communityServer (publicKey, inboxLatest, outboxLatest, pollFailures, blinding, url) \
    VALUES (?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM communityServer WHERE url = ?"
  fileprivate static let deletionOfUnused: SQL =
    "DELETE FROM communityServer WHERE url <> ? AND url NOT IN (SELECT server FROM community)"
}

/// A room of a community server.
public struct CommunityRecord: Record, Hashable {
  public enum State: Int, Sendable, CaseIterable, DatabaseValue {
    /// Its server has not let us in yet. If another device joined it, it is polled; if we want to join it, a job asks.
    case joining = 0
    case joined = 1
    /// We may not read it.
    case noAccess = 2
    /// Its server does not have it any more, or hides it from us.
    case gone = 3
  }

  public let threadID: ThreadRecord.ID
  public let server: String
  public let room: String
  public var name: String
  public var description: String?
  public var imageID: String?
  public var imageFileID: FileRecord.ID?
  public var userCount: Int64 = 0
  public var infoUpdates: Int64 = 0
  /// The last message that was retrieved.
  public var sequenceNumber: Int64 = 0
  public var permissions: Int64 = 0
  public var isPolled = true
  public var state = State.joining
  /// When its server created it, by the server's word; 0 if it is not known.
  public var createdAt: Int64 = 0
  /// When it was last polled, by the network's time.
  public var lastSuccessAt: Int64 = 0
  /// True if its oldest message is here.
  public var isComplete = false

  public init(_ threadID: ThreadRecord.ID, server: String, room: String, name: String) {
    self.threadID = threadID
    self.server = server
    self.room = room
    self.name = name
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    threadID = try row[0]
    server = try row[1]
    room = try row[2]
    name = try row[3]
    description = try row[4]
    imageID = try row[5]
    imageFileID = try row[6]
    userCount = try row[7]
    infoUpdates = try row[8]
    sequenceNumber = try row[9]
    permissions = try row[10]
    isPolled = try row[11]
    state = try row[12]
    createdAt = try row[13]
    lastSuccessAt = try row[14]
    isComplete = try row[15]
  }

  private static let columns: SQL = """
    SELECT threadID, server, room, name, description, imageID, imageFileID, userCount, infoUpdates, sequenceNumber, \
    permissions, isPolled, state, createdAt, lastSuccessAt, isComplete FROM community
    """
  fileprivate static let byThread: SQL = "\(columns) WHERE threadID = ?"
  fileprivate static let byServer: SQL = "\(columns) WHERE server = ? ORDER BY room"
  fileprivate static let change: SQL = """
    UPDATE community SET server = ?, room = ?, name = ?, searchName = ?, description = ?, imageID = ?, \
    imageFileID = ?, userCount = ?, infoUpdates = ?, sequenceNumber = ?, permissions = ?, isPolled = ?, \
    state = ?, createdAt = ?, lastSuccessAt = ?, isComplete = ? WHERE threadID = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO community (server, room, name, searchName, description, imageID, imageFileID, userCount, infoUpdates, \
    sequenceNumber, permissions, isPolled, state, createdAt, lastSuccessAt, isComplete, threadID) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
}

/// A capability of a community server, or a missing one that it reports.
public struct CapabilityRecord: Record, Hashable {
  public let name: String
  public let isMissing: Bool

  public init(_ name: String, isMissing: Bool = false) {
    self.name = name
    self.isMissing = isMissing
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    name = try row[0]
    isMissing = try row[1]
  }

  fileprivate static let byServer: SQL =
    "SELECT name, isMissing FROM capability WHERE server = ? ORDER BY name"
  fileprivate static let deletion: SQL = "DELETE FROM capability WHERE server = ?"
  fileprivate static let insertion: SQL = "INSERT INTO capability (server, name, isMissing) VALUES (?, ?, ?)"
}

extension Reading where Self: ~Copyable {
  public func communityServers() throws(StorageError) -> [CommunityServerRecord] {
    try all(CommunityServerRecord.everything)
  }

  public func communityServer(_ url: String) throws(StorageError) -> CommunityServerRecord? {
    try first(CommunityServerRecord.byURL, url)
  }

  public func community(_ thread: ThreadRecord.ID) throws(StorageError) -> CommunityRecord? {
    try first(CommunityRecord.byThread, thread)
  }

  public func communities(on server: String) throws(StorageError) -> [CommunityRecord] {
    try all(CommunityRecord.byServer, server)
  }

  public func capabilities(of server: String) throws(StorageError) -> [CapabilityRecord] {
    try all(CapabilityRecord.byServer, server)
  }
}

extension WriteTransaction {
  public func put(_ server: CommunityServerRecord) throws(StorageError) {
    try put(
      CommunityServerRecord.change, or: CommunityServerRecord.insertion, server.publicKey, server.inboxLatest,
      server.outboxLatest, server.pollFailures, server.blinding ?? 0, server.url)
    note(.updated, .communities)
  }

  public func put(_ community: CommunityRecord) throws(StorageError) {
    let c = community
    try put(
      CommunityRecord.change, or: CommunityRecord.insertion, c.server, c.room, c.name,
      SearchText.folded(c.name),
      c.description, c.imageID, c.imageFileID, c.userCount, c.infoUpdates, c.sequenceNumber, c.permissions,
      c.isPolled, c.state, c.createdAt, c.lastSuccessAt, c.isComplete, c.threadID)
    note(.updated, .community(c.threadID))
  }

  /// Replaces the known capabilities of a server.
  public func setCapabilities(_ capabilities: [CapabilityRecord], of server: String) throws(StorageError) {
    try run(CapabilityRecord.deletion, server)
    for capability in capabilities {
      try run(CapabilityRecord.insertion, server, capability.name, capability.isMissing)
    }
    note(.updated, .communities)
  }

  /// Forgets a server without rooms.
  public func deleteServer(_ url: String) throws(StorageError) {
    try run(CommunityServerRecord.deletion, url)
    note(.updated, .communities)
  }

  /// Forgets servers without rooms, but for one.
  @discardableResult
  public func deleteUnusedServers(except url: String) throws(StorageError) -> Int {
    try run(CommunityServerRecord.deletionOfUnused, url)
  }
}
