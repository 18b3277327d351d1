import SessionBase
import SessionNetworking
import SessionStorage

/// When to poll a room again, and how. It is forgotten when the program ends: then all rooms are polled at once.
struct RoomPace: Sendable {
  static let longestDelay: Int64 = 3_600_000
  private static let delayWithoutAccess: Int64 = 600_000
  /// The polls in a row after which a room that does not exist is gone.
  private static let mostAbsences = 3
  /// How often the whole description is fetched, in milliseconds.
  private static let descriptionInterval: Int64 = 6 * 3_600_000
  /// How long a server must be behind what we have seen. One process of it may be a moment behind another.
  private static let restartDelay: Int64 = 60_000

  /// The end of the delay after failures, and of that of a room that has brought too much.
  private var delayedUntil: Int64 = 0
  private var spentUntil: Int64 = 0
  /// The number of messages to ask for. It is smaller after a reply that was too large to reach us.
  private(set) var pageSize = CommunityCall<CommunityPage>.pageSize
  /// Replies in a row that could not be used, and that the room does not exist.
  private var failures = 0
  private var absences = 0
  /// True if the room has refused us the last time.
  private var isRefused = false
  /// Requests for one message in a row whose replies did not reach us.
  private var lostMessages = 0
  private var describedAt: Int64?
  private var behindSince: Int64?
  private var quota = RoomQuota()
  private var gapPages = 0
  private var restartedAt: Int64?

  var notBefore: Int64 { max(delayedUntil, spentUntil) }

  /// Clears the delay after failures, which still count.
  mutating func resetBackoff() { delayedUntil = 0 }

  /// True if the last replies could not be used.
  var isFailing: Bool { failures > 0 }

  /// True if the room is to be asked for alone.
  var isAlone: Bool { pageSize < CommunityCall<CommunityPage>.pageSize }

  /// The requests for one message in a row that fail before it is passed over.
  private static let mostLost = 3

  /// True if the next message is too large to reach us, so that only the newest can be asked for.
  var passesMessage: Bool { lostMessages >= Self.mostLost }

  /// The pages of missed messages that are fetched before the user asks for more.
  private static let maxGapPages = 10

  var mayFillGap: Bool { gapPages < Self.maxGapPages }

  mutating func noteGapPage() { gapPages += 1 }

  /// Takes note that messages may be missing before those of a page of the newest ones.
  mutating func noteGap() { gapPages = 0 }

  /// The least time between two restarts of the room, in milliseconds.
  private static let restartInterval: Int64 = 3_600_000

  func mayRestart(at now: Int64) -> Bool {
    restartedAt.map { abs(now - $0) >= Self.restartInterval } ?? true
  }

  mutating func noteRestart(at now: Int64) { restartedAt = now }

  /// True if the next poll is to bring the description of the room, which tells if its server has lost messages.
  func wantsDescription(at now: Int64) -> Bool {
    guard let describedAt else { return true }
    if let behindSince, now - behindSince >= Self.restartDelay { return true }
    return now - describedAt >= Self.descriptionInterval
  }

  /// Takes note of a description. Returns true if the server has lost messages that we have seen.
  mutating func noteDescription(_ room: CommunityRoom, cursor: Int64, at now: Int64) -> Bool {
    describedAt = now
    guard let sequence = room.messageSequence, sequence < cursor else {
      behindSince = nil
      return false
    }
    guard let since = behindSince else {
      behindSince = now
      return false
    }
    guard now - since >= Self.restartDelay else { return false }
    behindSince = nil
    return true
  }

  /// Takes note of a page.
  mutating func noteSuccess(rows: Int, bytes: Int, at now: Int64) {
    (failures, absences, delayedUntil, lostMessages, isRefused) = (0, 0, 0, 0, false)
    pageSize = min(pageSize * 2, CommunityCall<CommunityPage>.pageSize)
    spentUntil = quota.spend(rows: rows, bytes: bytes, at: now) ? now + Self.longestDelay : 0
  }

  /// Takes note of a failure. Returns the state of the room if we cannot read it any more.
  mutating func noteFailure(_ failure: NetworkFailure, at now: Int64) -> CommunityRecord.State? {
    switch failure.kind {
    case .unauthorized:
      (failures, absences, delayedUntil) = (0, 0, now + Self.delayWithoutAccess)
      // The description tells whether we may not read the room, or not even know of it.
      (isRefused, describedAt) = (true, nil)
      return .noAccess
    case .gone where isRefused:
      // The room is hidden from us.
      (failures, absences, delayedUntil) = (0, 0, now + Self.delayWithoutAccess)
      return .noAccess
    case .gone:
      absences += 1
      guard absences >= Self.mostAbsences else { return nil }
      (failures, delayedUntil) = (0, now + Self.longestDelay)
      return .gone
    default:
      (failures, absences) = (failures + 1, 0)
      let asked = failure.retryDelay?.milliseconds ?? 0
      delayedUntil = now + max(Self.delay(after: failures), min(asked, Self.longestDelay))
      return nil
    }
  }

  /// Takes note that a reply about this room alone did not reach us, while its server answers.
  mutating func noteTooLarge() {
    if pageSize == 1 { lostMessages += 1 }
    pageSize = max(1, pageSize / 2)
  }

  /// The delay after some failures in a row, in milliseconds.
  static func delay(after failures: Int) -> Int64 { min(longestDelay, 1000 * (3 + 1 << min(failures, 12))) }
}

/// Bounds what a room may bring in a day: its server can invent authors and sign for them.
struct RoomQuota: Sendable {
  static let maxRows = 20_000
  static let maxBytes = 100_000_000
  private static let period: Int64 = 24 * 3_600_000

  private var begunAt: Int64 = 0
  private var rows = 0
  private var bytes = 0

  /// Counts a page. Returns true if the room has used up its share.
  mutating func spend(rows newRows: Int, bytes newBytes: Int, at now: Int64) -> Bool {
    if abs(now - begunAt) >= Self.period { (begunAt, rows, bytes) = (now, 0, 0) }
    rows += newRows
    bytes += newBytes
    return rows >= Self.maxRows || bytes >= Self.maxBytes
  }
}
