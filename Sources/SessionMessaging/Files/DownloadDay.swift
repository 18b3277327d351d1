import SessionCore
import SessionStorage

/// The bytes of automatic downloads on a day, in UTC.
///
/// A download that runs claims bytes before they come, so that downloads beside it see it. Its claim ends with it, with the
/// day, and when the program starts again.
struct DownloadDay: Hashable, Sendable {
  /// The number of the day since 1970.
  private let number: Int64
  private var spent: Int64 = 0
  private var claims: [AttachmentRecord.ID: Int64] = [:]

  /// Reads a ``text``. One of another day, or that is none, counts nothing.
  init(_ text: String?, at now: MessageTime) {
    number = now.stored / 86_400_000
    let parts = text?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard parts.count >= 2, Int64(parts[0]) == number else { return }
    spent = max(Int64(parts[1]) ?? 0, 0)
    for part in parts.dropFirst(2) {
      let words = part.split(separator: "=").map { Int64($0) }
      guard words.count == 2, let id = words[0], let bytes = words[1] else { continue }
      claims[.init(rawValue: id)] = max(bytes, 0)
    }
  }

  /// `20420:1500:12=900` is 1500 bytes of the day 20420, and a claim of 900 for the attachment 12.
  var text: String {
    let claims = claims.sorted { $0.key.rawValue < $1.key.rawValue }.map { ":\($0.key.rawValue)=\($0.value)" }
    return "\(number):\(spent)" + claims.joined()
  }

  var hasClaims: Bool { !claims.isEmpty }

  /// True if a budget has room for so many bytes more.
  func hasRoom(for bytes: Int64, in budget: Int64) -> Bool {
    let counted = claims.values.reduce(spent) { $0.saturatingAdd($1) }
    return counted <= budget && bytes <= budget - counted
  }

  /// Claims bytes for a file, in place of an earlier claim for it.
  mutating func claim(_ bytes: Int64, for id: AttachmentRecord.ID) { claims[id] = bytes }

  /// Ends the claim of a file.
  mutating func release(_ id: AttachmentRecord.ID) { claims[id] = nil }

  mutating func releaseAll() { claims = [:] }

  /// Counts bytes that came.
  mutating func spend(_ bytes: Int64) { spent = spent.saturatingAdd(bytes) }
}

extension Setting where Value == String {
  static let downloadsOfDay = Setting("downloadsOfDay")
}

extension Reading where Self: ~Copyable {
  func downloadDay(at now: MessageTime) throws -> DownloadDay {
    DownloadDay(try value(of: .downloadsOfDay), at: now)
  }
}

extension WriteTransaction {
  /// Claims what a file says of its size. False if the budget of the day has no room for it.
  func claimDownload(of record: AttachmentRecord, at now: MessageTime) throws -> Bool {
    let rules = try downloadRules()
    let claim = rules.claim(of: record)
    var day = try downloadDay(at: now)
    // A claim of the same file is that of an attempt that was killed.
    day.release(record.id)
    guard day.hasRoom(for: claim, in: rules.budget) else { return false }
    day.claim(claim, for: record.id)
    try set(.downloadsOfDay, to: day.text)
    return true
  }

  /// Ends the claim of a file, and counts the bytes that came on the day on which they came.
  func settleDownload(_ id: AttachmentRecord.ID, received bytes: Int, at now: MessageTime) throws {
    var day = try downloadDay(at: now)
    day.release(id)
    day.spend(Int64(clamping: bytes))
    try set(.downloadsOfDay, to: day.text)
  }

  /// Ends the claims of downloads that were killed with the program.
  func releaseDownloads(at now: MessageTime) throws {
    var day = try downloadDay(at: now)
    guard day.hasClaims else { return }
    day.releaseAll()
    try set(.downloadsOfDay, to: day.text)
  }
}
