import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// A message that does not continue the session with its device. It is tried once more before that counts: what is missing
/// may come with one of the next polls, from another node or a later page.
struct BrokenMessage: JobKind {
  static let kind = "brokenMessage"
  static let queue = JobQueue("broken", concurrency: 1)
  static let conditions: JobConditions = [.accountActive]
  static let timesAreDelays = true
  /// How long after the first try, in milliseconds: by then two polls have ended.
  static let delay: Int64 = 120_000
  /// The number of messages kept so; others count at once.
  static let limit = 100

  let hash: String
  /// Its bytes, in base64.
  let data: String
  let storedAt: Int64
  let expiresAt: Int64

  var uniqueKey: String? { hash }

  init(_ hash: String, _ data: [UInt8], storedAt: Int64, expiresAt: Int64) {
    self.hash = hash
    self.data = data.base64
    self.storedAt = storedAt
    self.expiresAt = expiresAt
  }

  fileprivate func message() throws -> SwarmMessage {
    SwarmMessage(
      hash: hash, data: try [UInt8](base64: data.utf8),
      storedAt: try MessageTime(milliseconds: UInt64(clamping: storedAt)),
      expiresAt: try MessageTime(milliseconds: UInt64(clamping: expiresAt)))
  }
}

extension Inbox {
  func makeBrokenMessage() -> JobHandler {
    JobHandler(BrokenMessage.self) { [self] broken, _ in
      try await makeInbox(of: own).takeAgain(try broken.message())
      return .done
    }
  }
}

private enum BrokenStatements {
  static let count: SQL = "SELECT count(*) FROM job WHERE kind = ? AND state IN (0, 1)"
}

extension WriteTransaction {
  /// Has a message tried again later. False if this is the later time, or too many wait.
  func keepForLater(_ message: BrokenMessage, at now: Int64) throws -> Bool {
    if let known = try job(BrokenMessage.kind, for: message.hash) { return known.state == .waiting }
    guard try value(BrokenStatements.count, BrokenMessage.kind) ?? 0 < BrokenMessage.limit else {
      return false
    }
    try enqueue(message, .at(now + BrokenMessage.delay), at: now)
    return true
  }
}
