/// A group, as its configs describe it and as far as this device has come with it.
public struct GroupRecord: Hashable, Sendable {
  /// The state of a group on this device that the configs do not contain.
  public enum LocalState: Int, Sendable, CaseIterable, DatabaseValue {
    case none = 0
    /// It is not stored yet.
    case creating = 1
    case leaving = 2
    case destroying = 3
  }

  public let threadID: ThreadRecord.ID
  public var name: String
  public var description: String?
  public var formedAt: Int64
  public var pictureURL: String?
  public var pictureKey: [UInt8]?
  public var pictureFileID: FileRecord.ID?
  /// The seed of the group while it is being created; the configs have it afterwards.
  public var seed: [UInt8]?
  public var isInvited = false
  public var isKicked = false
  public var isDestroyed = false
  /// True if its keys were not available at the first poll.
  public var isExpired = false
  public var emptyPolls = 0
  public var localState = LocalState.none
  public var joinedAt: Int64 = 0
  public var invitation = Invitation()
  /// True if messages are in its swarm that none of our keys opens.
  public var hasUnopened = false
  /// When the swarm refused our access.
  public var accessLostAt: Int64?
  /// Messages sent until then were deleted for everybody, in seconds since 1970; 0 for none.
  public var deletesBefore: Int64 = 0
  /// The same for messages with files.
  public var deletesFilesBefore: Int64 = 0
  /// The same times as the configs have them, which may be in the future.
  public var statedDeletesBefore: Int64 = 0
  public var statedDeletesFilesBefore: Int64 = 0
  /// The newest generation of its keys that somebody may have who is no member any more; -1 for none.
  public var exposedGeneration: Int64 = -1
  /// True if this device read its swarm from the beginning after the account had become an admin, who has all keys.
  public var wasReadAsAdmin = false

  /// The inviter, the time, and the hash of the invitation in our own swarm.
  public struct Invitation: Hashable, Sendable {
    public var inviter: String?
    public var at: Int64?
    public var hash: String?

    public init(by inviter: String? = nil, at time: Int64? = nil, hash: String? = nil) {
      self.inviter = inviter
      self.at = time
      self.hash = hash
    }
  }

  public init(_ threadID: ThreadRecord.ID, name: String, formedAt: Int64) {
    self.threadID = threadID
    self.name = name
    self.formedAt = formedAt
  }
}

extension GroupRecord: Record {
  private static let columns: SQL = """
    SELECT threadID, name, description, formedAt, pictureURL, pictureKey, pictureFileID, adminKey, isInvited, isKicked, \
    isDestroyed, isExpired, emptyPolls, localState, joinedAt, inviter, invitedAt, inviteHash, hasUnopened, accessLostAt, \
    deletesBefore, deletesFilesBefore, exposedGeneration, wasReadAsAdmin, statedDeletesBefore, \
    statedDeletesFilesBefore FROM closedGroup
    """

  public init(_ row: borrowing Row) throws(StorageError) {
    threadID = try row[0]
    name = try row[1]
    description = try row[2]
    formedAt = try row[3]
    pictureURL = try row[4]
    pictureKey = try row[5]
    pictureFileID = try row[6]
    seed = try row[7]
    isInvited = try row[8]
    isKicked = try row[9]
    isDestroyed = try row[10]
    isExpired = try row[11]
    emptyPolls = try row[12]
    localState = try row[13]
    joinedAt = try row[14]
    invitation = Invitation(by: try row[15], at: try row[16], hash: try row[17])
    hasUnopened = try row[18]
    accessLostAt = try row[19]
    deletesBefore = try row[20]
    deletesFilesBefore = try row[21]
    exposedGeneration = try row[22]
    wasReadAsAdmin = try row[23]
    statedDeletesBefore = try row[24]
    statedDeletesFilesBefore = try row[25]
  }

  fileprivate static let byThread: SQL = "\(columns) WHERE threadID = ?"
  fileprivate static let byState: SQL =
    "SELECT threadID FROM closedGroup WHERE localState = ? ORDER BY threadID"
  fileprivate static let change: SQL = """
    UPDATE closedGroup SET name = ?, searchName = ?, description = ?, formedAt = ?, pictureURL = ?, pictureKey = ?, \
    pictureFileID = ?, adminKey = ?, isInvited = ?, isKicked = ?, isDestroyed = ?, isExpired = ?, emptyPolls = ?, \
    localState = ?, joinedAt = ?, inviter = ?, invitedAt = ?, inviteHash = ?, hasUnopened = ?, accessLostAt = ?, \
    deletesBefore = ?, deletesFilesBefore = ?, exposedGeneration = ?, wasReadAsAdmin = ?, statedDeletesBefore = ?, \
    statedDeletesFilesBefore = ? WHERE threadID = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO closedGroup (name, searchName, description, formedAt, pictureURL, pictureKey, pictureFileID, adminKey, \
    isInvited, isKicked, isDestroyed, isExpired, emptyPolls, localState, joinedAt, inviter, invitedAt, inviteHash, \
    hasUnopened, accessLostAt, deletesBefore, deletesFilesBefore, exposedGeneration, wasReadAsAdmin, \
    statedDeletesBefore, statedDeletesFilesBefore, threadID, isPolled) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
    """
  fileprivate static let deletion: SQL = "DELETE FROM closedGroup WHERE threadID = ?"
}

/// A member of a group.
public struct GroupMemberRecord: Record, Hashable {
  /// The time of arrival of a member who is assumed until the configs of the group are here.
  public static let provisional: Int64 = -1

  public let groupID: ThreadRecord.ID
  public let member: String
  public var isAdmin: Bool
  /// How far inviting, promoting or removing them has come: 0 to 14, as the configs of the group number it.
  public var status: Int
  /// True if their invitation shares older messages.
  public var isGivenHistory: Bool
  /// When this device saw them appear; 0 for those who were there when it first saw the members.
  public let addedAt: Int64

  public init(
    of groupID: ThreadRecord.ID, _ member: String, isAdmin: Bool = false, status: Int,
    isGivenHistory: Bool = false, addedAt: Int64 = 0
  ) {
    self.groupID = groupID
    self.member = member
    self.isAdmin = isAdmin
    self.status = status
    self.isGivenHistory = isGivenHistory
    self.addedAt = addedAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    groupID = try row[0]
    member = try row[1]
    isAdmin = try row[2]
    status = try row[3]
    isGivenHistory = try row[4]
    addedAt = try row[5]
  }

  private static let columns: SQL =
    "SELECT groupID, member, isAdmin, status, isGivenHistory, addedAt FROM groupMember"
  fileprivate static let byGroup: SQL = "\(columns) WHERE groupID = ? ORDER BY member"
  fileprivate static let one: SQL = "\(columns) WHERE groupID = ? AND member = ?"
  fileprivate static let change: SQL = """
    UPDATE groupMember SET isAdmin = ?, status = ?, isGivenHistory = ?, addedAt = ? WHERE groupID = ? AND member = ?
    """
  fileprivate static let insertion: SQL = """
    INSERT INTO groupMember (isAdmin, status, isGivenHistory, addedAt, groupID, member) VALUES (?, ?, ?, ?, ?, ?)
    """
  fileprivate static let deletion: SQL = "DELETE FROM groupMember WHERE groupID = ? AND member = ?"
}

extension Reading where Self: ~Copyable {
  public func group(_ thread: ThreadRecord.ID) throws(StorageError) -> GroupRecord? {
    try first(GroupRecord.byThread, thread)
  }

  /// The groups with which this device does something that the configs do not show.
  public func groups(in state: GroupRecord.LocalState) throws(StorageError) -> [GroupRecord] {
    let ids: [ThreadRecord.ID] = try values(GroupRecord.byState, state)
    var groups: [GroupRecord] = []
    for id in ids {
      if let group = try group(id) { groups.append(group) }
    }
    return groups
  }

  public func members(of group: ThreadRecord.ID) throws(StorageError) -> [GroupMemberRecord] {
    try all(GroupMemberRecord.byGroup, group)
  }

  public func member(_ id: String, of group: ThreadRecord.ID) throws(StorageError) -> GroupMemberRecord? {
    try first(GroupMemberRecord.one, group, id)
  }
}

extension WriteTransaction {
  public func put(_ group: GroupRecord) throws(StorageError) {
    let g = group
    try put(
      GroupRecord.change, or: GroupRecord.insertion, g.name, SearchText.folded(g.name), g.description,
      g.formedAt, g.pictureURL, g.pictureKey, g.pictureFileID, g.seed, g.isInvited, g.isKicked, g.isDestroyed,
      g.isExpired, g.emptyPolls, g.localState, g.joinedAt, g.invitation.inviter, g.invitation.at,
      g.invitation.hash, g.hasUnopened, g.accessLostAt, g.deletesBefore, g.deletesFilesBefore,
      g.exposedGeneration, g.wasReadAsAdmin, g.statedDeletesBefore, g.statedDeletesFilesBefore, g.threadID)
    note(.updated, .group(g.threadID))
  }

  /// Forgets a group and its members; its conversation stays.
  public func deleteGroup(_ thread: ThreadRecord.ID) throws(StorageError) {
    try run(GroupRecord.deletion, thread)
    note(.deleted, .group(thread))
  }

  public func put(_ member: GroupMemberRecord) throws(StorageError) {
    try put(
      GroupMemberRecord.change, or: GroupMemberRecord.insertion, member.isAdmin, member.status,
      member.isGivenHistory, member.addedAt, member.groupID, member.member)
    note(.updated, .group(member.groupID))
  }

  public func deleteMember(_ member: String, of group: ThreadRecord.ID) throws(StorageError) {
    try run(GroupMemberRecord.deletion, group, member)
    note(.updated, .group(group))
  }
}
