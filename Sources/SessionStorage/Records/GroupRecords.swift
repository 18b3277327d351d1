/// A group, according to its configs.
public struct GroupRecord: Hashable, Sendable {
  public let threadID: ThreadRecord.ID
  public var name: String
  public var description: String?
  public var formedAt: Int64
  public var pictureURL: String?
  public var pictureKey: [UInt8]?
  public var pictureFileID: FileRecord.ID?
  public var isPolled = true
  /// The group's own key, which only its admins have.
  public var adminKey: [UInt8]?
  /// The access that lets other members read.
  public var authData: [UInt8]?
  public var isInvited = false
  public var isKicked = false
  public var isDestroyed = false
  /// True if its keys were not available at the first poll.
  public var isExpired = false
  public var emptyPolls = 0

  public init(_ threadID: ThreadRecord.ID, name: String, formedAt: Int64) {
    self.threadID = threadID
    self.name = name
    self.formedAt = formedAt
  }
}

extension GroupRecord: Record {
  private static let columns: SQL = """
    SELECT threadID, name, description, formedAt, pictureURL, pictureKey, pictureFileID, isPolled, adminKey, authData, \
    isInvited, isKicked, isDestroyed, isExpired, emptyPolls FROM closedGroup
    """

  public init(_ row: borrowing Row) throws(StorageError) {
    threadID = try row[0]
    name = try row[1]
    description = try row[2]
    formedAt = try row[3]
    pictureURL = try row[4]
    pictureKey = try row[5]
    pictureFileID = try row[6]
    isPolled = try row[7]
    adminKey = try row[8]
    authData = try row[9]
    isInvited = try row[10]
    isKicked = try row[11]
    isDestroyed = try row[12]
    isExpired = try row[13]
    emptyPolls = try row[14]
  }

  fileprivate static let byThread: SQL = "\(columns) WHERE threadID = ?"
  fileprivate static let polled: SQL = "\(columns) WHERE isPolled = 1 ORDER BY threadID"
  fileprivate static let change: SQL = """
    UPDATE closedGroup SET name = ?, searchName = ?, description = ?, formedAt = ?, pictureURL = ?, pictureKey = ?, \
    pictureFileID = ?, isPolled = ?, adminKey = ?, authData = ?, isInvited = ?, isKicked = ?, isDestroyed = ?, \
    isExpired = ?, emptyPolls = ? WHERE threadID = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO closedGroup (name, searchName, description, formedAt, pictureURL, pictureKey, pictureFileID, isPolled, \
    adminKey, authData, isInvited, isKicked, isDestroyed, isExpired, emptyPolls, threadID) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM closedGroup WHERE threadID = ?"
}

/// A member of a group.
public struct GroupMemberRecord: Record, Hashable {
  public enum Role: Int, Sendable, DatabaseValue {
    case standard = 0
    case moderator = 1
    case admin = 2
    /// Left the group; kept because of their messages.
    case zombie = 3
  }

  public enum Status: Int, Sendable, CaseIterable, DatabaseValue {
    case accepted = 0
    case pending = 1
    case failed = 2
    case notSentYet = 3
    case sending = 4
    case pendingRemoval = 5
    case unknown = 100
  }

  public let groupID: ThreadRecord.ID
  public let member: String
  public let role: Role
  public var status: Status
  public var isHidden: Bool

  public init(
    of groupID: ThreadRecord.ID, _ member: String, _ role: Role, _ status: Status, isHidden: Bool = false
  ) {
    self.groupID = groupID
    self.member = member
    self.role = role
    self.status = status
    self.isHidden = isHidden
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    groupID = try row[0]
    member = try row[1]
    role = try row[2]
    status = try row[3]
    isHidden = try row[4]
  }

  private static let columns: SQL = "SELECT groupID, member, role, status, isHidden FROM groupMember"
  fileprivate static let byGroup: SQL = "\(columns) WHERE groupID = ? ORDER BY member, role"
  fileprivate static let unsettled: SQL = "\(columns) WHERE status <> 0 ORDER BY groupID, member"
  fileprivate static let change: SQL =
    "UPDATE groupMember SET status = ?, isHidden = ? WHERE groupID = ? AND member = ? AND role = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO groupMember (status, isHidden, groupID, member, role) VALUES (?, ?, ?, ?, ?)"
  fileprivate static let deletion: SQL = "DELETE FROM groupMember WHERE groupID = ? AND member = ?"
}

extension Reading where Self: ~Copyable {
  public func group(_ thread: ThreadRecord.ID) throws(StorageError) -> GroupRecord? {
    try first(GroupRecord.byThread, thread)
  }

  public func polledGroups() throws(StorageError) -> [GroupRecord] { try all(GroupRecord.polled) }

  public func members(of group: ThreadRecord.ID) throws(StorageError) -> [GroupMemberRecord] {
    try all(GroupMemberRecord.byGroup, group)
  }

  /// Members with whom something is still to be done, in all groups.
  public func unsettledMembers() throws(StorageError) -> [GroupMemberRecord] {
    try all(GroupMemberRecord.unsettled)
  }
}

extension WriteTransaction {
  public func put(_ group: GroupRecord) throws(StorageError) {
    let g = group
    try put(
      GroupRecord.change, or: GroupRecord.insertion, g.name, SearchText.folded(g.name), g.description,
      g.formedAt,
      g.pictureURL, g.pictureKey, g.pictureFileID, g.isPolled, g.adminKey, g.authData, g.isInvited,
      g.isKicked,
      g.isDestroyed, g.isExpired, g.emptyPolls, g.threadID)
    note(.updated, .group(g.threadID))
  }

  /// Forgets a group and its members; its conversation stays.
  public func deleteGroup(_ thread: ThreadRecord.ID) throws(StorageError) {
    try run(GroupRecord.deletion, thread)
    note(.deleted, .group(thread))
  }

  public func put(_ member: GroupMemberRecord) throws(StorageError) {
    try put(
      GroupMemberRecord.change, or: GroupMemberRecord.insertion, member.status, member.isHidden,
      member.groupID,
      member.member, member.role)
    note(.updated, .group(member.groupID))
  }

  public func deleteMember(_ member: String, of group: ThreadRecord.ID) throws(StorageError) {
    try run(GroupMemberRecord.deletion, group, member)
    note(.updated, .group(group))
  }
}
