/// The rules by which an account deletes old rows automatically. Times are milliseconds.
public struct GarbageRules: Sendable {
  public var now: Int64
  /// Our own id: our profile and Note to Self are kept.
  public var own: String
  /// The server whose room pictures are kept even without rooms.
  public var keptServer: String
  /// The age after which messages of large communities are deleted; nil keeps them.
  public var communityMessageAge: Int64?
  /// The number of messages that a community keeps in any case.
  public var communitySize = 2000
  /// How long messages that disappear after reading are kept unread.
  public var unreadAge: Int64 = 14 * day
  /// How long an unreferenced attachment is kept.
  public var attachmentGrace: Int64 = day
  /// The lifetime of notifications.
  public var notificationAge: Int64 = 30 * day
  public var events = EventRetention()

  public static let day: Int64 = 24 * 3600 * 1000
  /// The default if deleting messages of communities is enabled.
  public static let usualCommunityMessageAge: Int64 = 6 * 30 * day

  public init(at now: Int64, own: String, keptServer: String) {
    self.now = now
    self.own = own
    self.keptServer = keptServer
  }
}

/// Kinds of rows that nothing needs any more.
public enum Garbage: String, Sendable, CaseIterable {
  /// Messages of large communities that are old.
  case communityMessages
  /// Messages that should have been read, and then disappear, but were not for long.
  case unreadMessages
  /// Hidden conversations without a contact, community or group.
  case threads
  /// Previews of links that are in no message.
  case linkPreviews
  /// Attachments of nothing.
  case attachments
  /// Servers without rooms, and their capabilities.
  case communityServers
  /// Contacts under a blinded id whose account is known, and whose conversation is that of the account.
  case blindedContacts
  /// Ids of people in communities with whom we have nothing to do.
  case blindedIDs
  /// Profiles of people of whom nothing else is left.
  case profiles
  case readReceipts
  case receivedHashes
  case seenMessages
  case events
  case notifications
  case proRevocations
  case tombstones
  /// Requests to swarms of groups that are gone.
  case swarmSteps
  /// Tags of conversations that have been gone for a month.
  case threadTags
  /// Messages that were to be sent later, a month after they were sent, missed or failed.
  case scheduled
}

private enum GarbageStatements {
  static let communityMessages: SQL = """
    DELETE FROM interaction WHERE sentAt < ? AND threadID IN (SELECT threadID FROM community \
    WHERE (SELECT count(*) FROM interaction i WHERE i.threadID = community.threadID) >= ?)
    """
  static let unreadMessages: SQL = """
    DELETE FROM interaction WHERE wasRead = 0 AND expirySeconds <> 0 AND expiryStartedAt IS NULL AND sentAt < ?
    """
  static let blindedContacts: SQL = """
    DELETE FROM contact WHERE id IN (SELECT blindedID FROM blindedID WHERE sessionID IS NOT NULL) \
    AND id NOT IN (SELECT address FROM thread)
    """
  static let blindedIDs: SQL = """
    DELETE FROM blindedID WHERE blindedID NOT IN (SELECT address FROM thread) \
    AND ifnull(sessionID, '') NOT IN (SELECT address FROM thread) AND blindedID NOT IN (SELECT id FROM contact) \
    AND ifnull(sessionID, '') NOT IN (SELECT id FROM contact)
    """
  static let profiles: SQL = """
    DELETE FROM profile WHERE id <> ? AND id NOT IN (SELECT address FROM thread UNION SELECT author FROM interaction \
    UNION SELECT author FROM quote UNION SELECT author FROM reaction UNION SELECT member FROM groupMember \
    UNION SELECT id FROM contact UNION SELECT blindedID FROM blindedID \
    UNION SELECT sessionID FROM blindedID WHERE sessionID IS NOT NULL)
    """
  static let notifications: SQL = "DELETE FROM notification WHERE createdAt < ?"
  static let swarmSteps: SQL = """
    DELETE FROM swarmStep WHERE owner <> ? AND owner NOT IN \
    (SELECT address FROM thread JOIN closedGroup ON closedGroup.threadID = thread.id)
    """
}

extension WriteTransaction {
  /// Deletes obsolete rows, and returns the number of each kind. Files that only those referred to are left to the
  /// sweep.
  ///
  /// Rows that garbage refers to become garbage only after it, hence the order.
  public func collectGarbage(_ rules: GarbageRules) throws(StorageError) -> [Garbage: Int] {
    var counts: [Garbage: Int] = [:]
    for kind in Garbage.allCases { counts[kind] = try collect(kind, rules) }
    for key in counts.filter({ $0.value > 0 }).keys.flatMap(\.observationKeys) { note(.deleted, key) }
    return counts
  }

  private func collect(_ kind: Garbage, _ rules: GarbageRules) throws(StorageError) -> Int {
    let now = rules.now
    switch kind {
    case .communityMessages:
      guard let age = rules.communityMessageAge else { return 0 }
      return try run(GarbageStatements.communityMessages, now - age, rules.communitySize)
    case .unreadMessages: return try run(GarbageStatements.unreadMessages, now - rules.unreadAge)
    case .threads:
      let shadows = try shadowThreads(own: rules.own)
      for thread in shadows { try deleteThread(thread) }
      return shadows.count
    case .linkPreviews: return try deleteUnusedLinkPreviews()
    case .attachments: return try deleteUnusedAttachments(createdBefore: now - rules.attachmentGrace)
    case .communityServers: return try deleteUnusedServers(except: rules.keptServer)
    case .blindedContacts: return try run(GarbageStatements.blindedContacts)
    case .blindedIDs: return try run(GarbageStatements.blindedIDs)
    case .profiles: return try run(GarbageStatements.profiles, rules.own)
    case .readReceipts: return try deletePendingReadReceipts(expiredAt: now)
    case .receivedHashes: return try deleteHashes(expiredAt: now)
    case .seenMessages: return try deleteSeenMessages(expiredBefore: now)
    case .events: return try trimEvents(rules.events, at: now)
    case .notifications: return try run(GarbageStatements.notifications, now - rules.notificationAge)
    case .proRevocations: return try deleteProRevocations(keptBefore: now)
    case .tombstones: return try trimTombstones(at: now)
    case .swarmSteps: return try run(GarbageStatements.swarmSteps, rules.own)
    case .threadTags: return try deleteLostTags(at: now)
    case .scheduled: return try deleteSettledScheduled(at: now)
    }
  }
}

extension Garbage {
  /// The changes to report when rows are deleted.
  fileprivate var observationKeys: [ObservationKey] {
    switch self {
    case .communityMessages, .unreadMessages: [.interactions, .allMessages, .threads, .unread]
    case .threads: [.threads]
    case .attachments: [.attachments]
    case .communityServers: [.communities]
    case .blindedContacts, .blindedIDs, .profiles: [.people]
    case .events: [.events]
    case .notifications: [.notifications]
    case .proRevocations: [.pro]
    case .threadTags: [.tags]
    case .scheduled: [.scheduled]
    case .linkPreviews, .readReceipts, .receivedHashes, .seenMessages, .tombstones, .swarmSteps: []
    }
  }
}
