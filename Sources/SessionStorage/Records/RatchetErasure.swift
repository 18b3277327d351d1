/// When the secrets of the ratchet protocol go. Times are milliseconds.
///
/// A message that is in the swarm may still need a secret whose time is over. So prekeys go only once the mailbox was
/// read completely after that time, and in any case after ``latest``.
public struct RatchetErasure: Sendable {
  /// How long a replaced generation of prekeys, an unused message key, a mark of a message and an older session are kept.
  public static let lifetime: Int64 = 16 * 24 * 3_600_000
  /// How long a one-time prekey is kept after its first use.
  public static let oneTimeLifetime: Int64 = 48 * 3_600_000
  /// How long a replaced generation is kept if the mailbox cannot be read.
  public static let latest: Int64 = 30 * 24 * 3_600_000
  /// The number of skipped keys kept of one account, and of all.
  public static let maxSkippedOfAccount = 10_000
  public static let maxSkipped = 50_000
  /// The number of sessions with people who are no accepted contacts, and of accounts with sessions.
  public static let maxStrangeSessions = 500
  public static let maxAccounts = 5000

  public let now: Int64
  /// When the last complete reading of the mailbox began; nil if there was none.
  public let readAt: Int64?
  /// True if forward secrecy is off: then sessions go with the last prekeys.
  public let isOff: Bool

  public init(at now: Int64, readAt: Int64?, isOff: Bool = false) {
    self.now = now
    self.readAt = readAt
    self.isOff = isOff
  }
}

private enum ErasureStatements {
  static let generations: SQL =
    "DELETE FROM srPrekey WHERE replacedAt IS NOT NULL AND (replacedAt <= ? OR replacedAt <= ?)"
  static let oneTimeKeys: SQL = "DELETE FROM srOneTimeKey WHERE firstUsedAt <= ?"
  static let skippedKeys: SQL = "DELETE FROM srSkippedKey WHERE createdAt <= ?"
  static let opened: SQL = "DELETE FROM srOpened WHERE openedAt <= ?"
  static let sessions: SQL = """
    DELETE FROM srSession WHERE EXISTS (SELECT 1 FROM srSession n WHERE n.deviceID = srSession.deviceID \
    AND (n.startedAt, n.ek) > (srSession.startedAt, srSession.ek) AND n.confirmedAt <= ?)
    """
  static let sessionsOfRemoved: SQL = """
    DELETE FROM srSession WHERE deviceID IN (SELECT id FROM srDevice WHERE status = ? AND removedAt <= ?)
    """
  static let lastSessions: SQL = "DELETE FROM srSession WHERE NOT EXISTS (SELECT 1 FROM srPrekey)"
  static let idleAccounts: SQL = """
    DELETE FROM srSession WHERE deviceID IN (SELECT id FROM srDevice WHERE account IN \
    (SELECT d.account FROM srSession s JOIN srDevice d ON d.id = s.deviceID GROUP BY d.account \
    ORDER BY max(s.usedAt) DESC, d.account LIMIT -1 OFFSET ?))
    """
  static let strangers: SQL = """
    DELETE FROM srSession WHERE id IN (SELECT s.id FROM srSession s JOIN srDevice d ON d.id = s.deviceID \
    WHERE NOT EXISTS (SELECT 1 FROM contact c WHERE c.id = d.account AND c.isApproved) AND d.account <> ? \
    ORDER BY s.id DESC LIMIT -1 OFFSET ?)
    """
  static let strangeDevices: SQL = """
    DELETE FROM srDevice WHERE bundle IS NULL AND status <> ? AND account <> ? \
    AND NOT EXISTS (SELECT 1 FROM contact c WHERE c.id = srDevice.account AND c.isApproved) \
    AND NOT EXISTS (SELECT 1 FROM srSession s WHERE s.deviceID = srDevice.id)
    """
  static let strangeAccounts: SQL = """
    DELETE FROM srAccount WHERE policy = 0 AND id <> ? \
    AND NOT EXISTS (SELECT 1 FROM contact c WHERE c.id = srAccount.id AND c.isApproved) \
    AND NOT EXISTS (SELECT 1 FROM verification v WHERE v.id = srAccount.id) \
    AND NOT EXISTS (SELECT 1 FROM srDevice d WHERE d.account = srAccount.id)
    """
  static let skippedOfAccounts: SQL = """
    SELECT d.account, count(*) FROM srSkippedKey k JOIN srSession s ON s.id = k.sessionID \
    JOIN srDevice d ON d.id = s.deviceID GROUP BY d.account ORDER BY count(*) DESC, d.account
    """
  static let oldestSkipped: SQL = """
    SELECT k.sessionID, k.headerKey, k.number FROM srSkippedKey k JOIN srSession s ON s.id = k.sessionID \
    JOIN srDevice d ON d.id = s.deviceID WHERE d.account = ? ORDER BY k.createdAt, k.number LIMIT ?
    """
  static let skippedOfSession: SQL = """
    DELETE FROM srSkippedKey WHERE sessionID = ?1 AND (headerKey, number) NOT IN (SELECT headerKey, number \
    FROM srSkippedKey WHERE sessionID = ?1 ORDER BY createdAt DESC, number DESC LIMIT ?2)
    """
  static let skippedKey: SQL = "DELETE FROM srSkippedKey WHERE sessionID = ? AND headerKey = ? AND number = ?"
}

extension WriteTransaction {
  /// Erases the secrets whose time is over. Returns the number of rows.
  @discardableResult
  public func erase(_ erasure: RatchetErasure) throws(StorageError) -> Int {
    let (now, old) = (erasure.now, erasure.now - RatchetErasure.lifetime)
    let read = erasure.readAt ?? .min / 2
    var count = try run(
      ErasureStatements.generations, min(read, now) - RatchetErasure.lifetime, now - RatchetErasure.latest)
    count += try run(ErasureStatements.oneTimeKeys, min(read, now) - RatchetErasure.oneTimeLifetime)
    count += try run(ErasureStatements.skippedKeys, old)
    count += try run(ErasureStatements.opened, old)
    count += try run(ErasureStatements.sessions, old)
    count += try run(ErasureStatements.sessionsOfRemoved, RatchetDeviceRecord.Status.removed, old)
    if erasure.isOff { count += try run(ErasureStatements.lastSessions) }
    count += try trimIdleAccounts()
    return count + (try trimSkippedKeys())
  }

  /// Drops the sessions of the accounts that were unused for longest, beyond a number of accounts.
  func trimIdleAccounts(limit: Int = RatchetErasure.maxAccounts) throws(StorageError) -> Int {
    try run(ErasureStatements.idleAccounts, limit)
  }

  /// Drops the oldest sessions with people who are no accepted contacts, beyond a number of them, and what is known of these
  /// people's devices.
  @discardableResult
  public func trimStrangeSessions(
    own: String, limit: Int = RatchetErasure.maxStrangeSessions
  ) throws(StorageError) -> Int {
    let count = try run(ErasureStatements.strangers, own, limit)
    guard count > 0 else { return 0 }
    try run(ErasureStatements.strangeDevices, RatchetDeviceRecord.Status.removed, own)
    try run(ErasureStatements.strangeAccounts, own)
    return count
  }

  /// Drops the oldest skipped keys of one session, beyond a number of them.
  public func trimSkippedKeys(
    of session: RatchetSessionRecord.ID, limit: Int
  ) throws(StorageError) {
    try run(ErasureStatements.skippedOfSession, session, limit)
  }

  /// Drops skipped keys beyond the limits: first those of an account that has too many, then those of the account that
  /// has most.
  func trimSkippedKeys(
    ofAccount most: Int = RatchetErasure.maxSkippedOfAccount, all: Int = RatchetErasure.maxSkipped
  ) throws(StorageError) -> Int {
    var counts = try map(ErasureStatements.skippedOfAccounts) {
      (row) throws(StorageError) -> (account: String, count: Int) in (try row[0], try row[1])
    }
    var dropped = 0
    for (index, entry) in counts.enumerated() where entry.count > most {
      dropped += try dropSkippedKeys(of: entry.account, entry.count - most)
      counts[index].count = most
    }
    var excess = counts.reduce(0) { $0 + $1.count } - all
    for entry in counts where excess > 0 {
      let count = min(excess, entry.count)
      dropped += try dropSkippedKeys(of: entry.account, count)
      excess -= count
    }
    return dropped
  }

  /// Drops the oldest skipped keys of an account.
  private func dropSkippedKeys(of account: String, _ count: Int) throws(StorageError) -> Int {
    let keys = try map(ErasureStatements.oldestSkipped, account, count) {
      (row) throws(StorageError) -> (session: Int64, headerKey: [UInt8], number: Int64) in
      (try row[0], try row[1], try row[2])
    }
    for key in keys { try run(ErasureStatements.skippedKey, key.session, key.headerKey, key.number) }
    return keys.count
  }
}
