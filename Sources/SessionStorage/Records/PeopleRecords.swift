/// The name and picture that a person chose.
public struct ProfileRecord: Hashable, Sendable {
  public let id: String
  public var name: String
  /// The nickname that we gave them.
  public var nickname: String?
  public var pictureURL: String?
  public var pictureKey: [UInt8]?
  public var pictureFileID: FileRecord.ID?
  public var updatedAt: Int64
  public var blocksRequests = false
  public var proFeatures: Int64 = 0
  public var proExpiresAt: Int64?
  public var proTag: [UInt8]?

  public init(_ id: String, name: String, updatedAt: Int64) {
    self.id = id
    self.name = name
    self.updatedAt = updatedAt
  }
}

extension ProfileRecord: Record {
  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    name = try row[1]
    nickname = try row[2]
    pictureURL = try row[3]
    pictureKey = try row[4]
    pictureFileID = try row[5]
    updatedAt = try row[6]
    blocksRequests = try row[7]
    proFeatures = try row[8]
    proExpiresAt = try row[9]
    proTag = try row[10]
  }

  fileprivate static let byID: SQL = """
    SELECT id, name, nickname, pictureURL, pictureKey, pictureFileID, updatedAt, blocksRequests, proFeatures, \
    proExpiresAt, proTag FROM profile WHERE id = ?
    """
  fileprivate static let change: SQL = """
    UPDATE profile SET name = ?, nickname = ?, searchName = ?, pictureURL = ?, pictureKey = ?, pictureFileID = ?, \
    updatedAt = ?, blocksRequests = ?, proFeatures = ?, proExpiresAt = ?, proTag = ? WHERE id = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO profile (name, nickname, searchName, pictureURL, pictureKey, pictureFileID, updatedAt, \
    blocksRequests, proFeatures, proExpiresAt, proTag, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM profile WHERE id = ?"
}

/// Our relation to a person.
public struct ContactRecord: Hashable, Sendable {
  public let id: String
  public var isTrusted = false
  public var isApproved = false
  public var isBlocked = false
  public var didApproveMe = false
  public var hasBeenBlocked = false
  public let createdAt: Int64
  public var lastKnownVersion: Int64?

  public init(_ id: String, createdAt: Int64) {
    self.id = id
    self.createdAt = createdAt
  }
}

extension ContactRecord: Record {
  private static let columns: SQL = """
    SELECT id, isTrusted, isApproved, isBlocked, didApproveMe, hasBeenBlocked, createdAt, lastKnownVersion FROM contact
    """

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    isTrusted = try row[1]
    isApproved = try row[2]
    isBlocked = try row[3]
    didApproveMe = try row[4]
    hasBeenBlocked = try row[5]
    createdAt = try row[6]
    lastKnownVersion = try row[7]
  }

  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let everyone: SQL = "\(columns) ORDER BY id"
  fileprivate static let blocked: SQL = "\(columns) WHERE isBlocked = 1 ORDER BY id"
  fileprivate static let change: SQL = """
    UPDATE contact SET isTrusted = ?, isApproved = ?, isBlocked = ?, didApproveMe = ?, hasBeenBlocked = ?, \
    createdAt = ?, lastKnownVersion = ? WHERE id = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO contact (isTrusted, isApproved, isBlocked, didApproveMe, hasBeenBlocked, createdAt, \
    lastKnownVersion, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM contact WHERE id = ?"
}

/// The account behind a blinded id, if known.
public struct BlindedIDRecord: Record, Hashable {
  public let blindedID: String
  public var sessionID: String?
  public let server: String
  public let serverKey: [UInt8]

  public init(_ blindedID: String, sessionID: String?, server: String, serverKey: [UInt8]) {
    self.blindedID = blindedID
    self.sessionID = sessionID
    self.server = server
    self.serverKey = serverKey
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    blindedID = try row[0]
    sessionID = try row[1]
    server = try row[2]
    serverKey = try row[3]
  }

  private static let columns: SQL = "SELECT blindedID, sessionID, server, serverKey FROM blindedID"
  fileprivate static let byID: SQL = "\(columns) WHERE blindedID = ?"
  fileprivate static let byPerson: SQL = "\(columns) WHERE sessionID = ? ORDER BY blindedID"
  fileprivate static let everyone: SQL = "\(columns) ORDER BY blindedID"
  fileprivate static let unresolved: SQL = "\(columns) WHERE sessionID IS NULL ORDER BY blindedID"
  fileprivate static let change: SQL =
    "UPDATE blindedID SET sessionID = ?, server = ?, serverKey = ? WHERE blindedID = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO blindedID (sessionID, server, serverKey, blindedID) VALUES (?, ?, ?, ?)"
}

extension Reading where Self: ~Copyable {
  public func profile(_ id: String) throws(StorageError) -> ProfileRecord? {
    try first(ProfileRecord.byID, id)
  }
  public func contact(_ id: String) throws(StorageError) -> ContactRecord? {
    try first(ContactRecord.byID, id)
  }
  public func contacts() throws(StorageError) -> [ContactRecord] { try all(ContactRecord.everyone) }
  /// The people whom we blocked.
  public func blockedContacts() throws(StorageError) -> [ContactRecord] { try all(ContactRecord.blocked) }

  public func blindedID(_ id: String) throws(StorageError) -> BlindedIDRecord? {
    try first(BlindedIDRecord.byID, id)
  }

  /// The ids a person has in communities.
  public func blindedIDs(of sessionID: String) throws(StorageError) -> [BlindedIDRecord] {
    try all(BlindedIDRecord.byPerson, sessionID)
  }

  /// The ids of people in communities.
  public func blindedIDs() throws(StorageError) -> [BlindedIDRecord] { try all(BlindedIDRecord.everyone) }

  /// The ids of people whose account is not known.
  public func unresolvedBlindedIDs() throws(StorageError) -> [BlindedIDRecord] {
    try all(BlindedIDRecord.unresolved)
  }
}

extension WriteTransaction {
  public func put(_ profile: ProfileRecord) throws(StorageError) {
    let p = profile
    // Both what they and what we call them is looked for.
    let searchName = SearchText.folded([p.nickname, p.name].compactMap(\.self).joined(separator: " "))
    try put(
      ProfileRecord.change, or: ProfileRecord.insertion, p.name, p.nickname, searchName, p.pictureURL,
      p.pictureKey,
      p.pictureFileID, p.updatedAt, p.blocksRequests, p.proFeatures, p.proExpiresAt, p.proTag, p.id)
    note(.updated, .person(p.id))
  }

  public func deleteProfile(_ id: String) throws(StorageError) {
    try run(ProfileRecord.deletion, id)
    note(.deleted, .person(id))
  }

  public func put(_ contact: ContactRecord) throws(StorageError) {
    let c = contact
    try put(
      ContactRecord.change, or: ContactRecord.insertion, c.isTrusted, c.isApproved, c.isBlocked,
      c.didApproveMe,
      c.hasBeenBlocked, c.createdAt, c.lastKnownVersion, c.id)
    note(.updated, .person(c.id))
  }

  public func deleteContact(_ id: String) throws(StorageError) {
    try run(ContactRecord.deletion, id)
    note(.deleted, .person(id))
  }

  public func put(_ blinded: BlindedIDRecord) throws(StorageError) {
    try put(
      BlindedIDRecord.change, or: BlindedIDRecord.insertion, blinded.sessionID, blinded.server,
      blinded.serverKey,
      blinded.blindedID)
    note(.updated, .person(blinded.blindedID))
  }
}
