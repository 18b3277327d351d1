import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// What is downloaded automatically from people for whom that is on. It is a setting of this device.
public struct DownloadRules: Hashable, Sendable, Codable {
  /// A kind of file, by what its sender says.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    case image
    case voice
    case video
    case file
  }

  /// The largest file of each kind, in bytes; 0 for none.
  public private(set) var limits: [Kind: Int64]
  /// The most bytes in a day, in UTC.
  public private(set) var budget: Int64

  /// The highest limit: no file is larger.
  public static let highest: Int64 = 10_000_000
  public static let highestBudget: Int64 = 1_000_000_000_000

  public init() {
    limits = [.image: 522_240, .voice: 522_240, .video: 1_047_552, .file: 0]
    budget = 200_000_000
  }

  public func limit(of kind: Kind) -> Int64 { limits[kind] ?? 0 }

  /// Sets the limit of a kind. Throws `notAllowed` for one below 0 or above ``highest``.
  public mutating func setLimit(of kind: Kind, to limit: Int64) throws(MessengerError) {
    guard (0...Self.highest).contains(limit) else {
      throw MessengerError(.notAllowed, "a limit of downloads is 0 to \(Self.highest) bytes")
    }
    limits[kind] = limit
  }

  /// Sets the most bytes in a day. Throws `notAllowed` for a number below 0, or one beyond all sense.
  public mutating func setBudget(_ bytes: Int64) throws(MessengerError) {
    guard (0...Self.highestBudget).contains(bytes) else {
      throw MessengerError(.notAllowed, "a budget of downloads is 0 to \(Self.highestBudget) bytes")
    }
    budget = bytes
  }

  /// The same rules, made anew. Throws `notAllowed` if they have a number that cannot be set: others may have written them.
  func checked() throws(MessengerError) -> DownloadRules {
    var checked = DownloadRules()
    for (kind, limit) in limits { try checked.setLimit(of: kind, to: limit) }
    try checked.setBudget(budget)
    return checked
  }

  /// What a file counts before its bytes came: what its sender says, or as much as its kind may have.
  func claim(of record: AttachmentRecord) -> Int64 {
    record.byteCount > 0 ? record.byteCount : limit(of: record.downloadKind)
  }

  /// The most bytes that an automatic download may have: senders may be wrong by a little.
  func mostBytes(of record: AttachmentRecord) -> Int64 {
    let limit = limit(of: record.downloadKind)
    return max(record.byteCount * 2, limit + limit / 10)
  }
}

extension AttachmentRecord {
  var downloadKind: DownloadRules.Kind {
    if kind == .voice { return .voice }
    if contentType.hasPrefix("image/") { return .image }
    return contentType.hasPrefix("video/") ? .video : .file
  }
}

extension Setting where Value == String {
  static let downloadRules = Setting("downloadRules")
}

extension Reading where Self: ~Copyable {
  func downloadRules() throws -> DownloadRules {
    guard let text = try value(of: .downloadRules),
      let rules = try? JobPayload.decode(DownloadRules.self, from: Array(text.utf8)).checked()
    else { return DownloadRules() }
    return rules
  }
}

extension WriteTransaction {
  /// Requests the download of a file that the rules allow and the day has room for. The bytes count when they come.
  func requestAutomaticDownload(_ record: AttachmentRecord, at now: MessageTime, _ context: AccountContext)
    throws
  {
    guard record.state == .pendingDownload, let servers = context.environment.files?.servers,
      record.lies(on: servers)
    else { return }
    let rules = try downloadRules()
    let limit = rules.limit(of: record.downloadKind)
    guard limit > 0, record.byteCount <= limit else { return }
    guard try downloadDay(at: now).hasRoom(for: rules.claim(of: record), in: rules.budget) else { return }
    try requestDownload(
      record, upTo: rules.mostBytes(of: record), notBefore: context.unpredictableTime, at: context.jobTime)
  }
}

extension Messenger {
  /// Sets what is downloaded automatically from people for whom ``setDownloadsByItself(_:of:)`` is on.
  public nonisolated func setDownloadRules(_ rules: DownloadRules) async throws {
    try await perform(.account(.setDownloadRules(rules)))
  }

  nonisolated func keepDownloadRules(_ rules: DownloadRules) async throws {
    let text = String(decoding: try JobPayload.encode(try rules.checked()), as: UTF8.self)
    try await context.write { transaction, _ in try transaction.set(.downloadRules, to: text) }
  }
}
