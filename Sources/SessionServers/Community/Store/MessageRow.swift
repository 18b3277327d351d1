import SessionStorage

/// A message of a room.
struct MessageRow: Record, Hashable {
  static let columns: SQL = """
    id, author, signer, posted, edited, deleted, createdSeq, dataSeq, reactedSeq, data, size, signature, filtered, \
    whisperMods, whisperTo, (SELECT coalesce(shown, named) FROM person WHERE person.id = message.whisperTo)
    """

  let id: Int64
  let author: Int64
  /// The id that signed it.
  let signer: String
  let posted: Int64
  let edited, deleted: Int64?
  /// The numbers of the room's changes: when it came, when its text changed, when a reaction changed.
  let created, changed, reacted: Int64
  let text: PaddedText?
  let signature: [UInt8]?
  let isFiltered: Bool
  let isWhisperToModerators: Bool
  let whisperTo: Int64?
  /// The id of the recipient.
  let recipient: String?

  init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    author = try row[1]
    signer = try row[2]
    posted = try row[3]
    edited = try row[4]
    deleted = try row[5]
    created = try row[6]
    changed = try row[7]
    reacted = try row[8]
    let (data, size): ([UInt8]?, Int?) = (try row[9], try row[10])
    text = data.map { PaddedText(stored: $0, size: size ?? 0) }
    signature = try row[11]
    let filtered: Int64 = try row[12]
    isFiltered = filtered != 0
    isWhisperToModerators = try row[13]
    whisperTo = try row[14]
    recipient = try row[15]
  }

  var isWhisper: Bool { isWhisperToModerators || whisperTo != nil }

  /// The largest of its numbers.
  var sequence: Int64 { max(changed, reacted) }
}

/// The signed bytes of a message. Their padding, a mark and zeros, is not stored.
struct PaddedText: Hashable, Sendable {
  private static let mark: UInt8 = 0x80

  let stored: [UInt8]
  /// The size with the padding.
  let size: Int

  init(stored: [UInt8], size: Int) { (self.stored, self.size) = (stored, size) }

  /// Cuts the padding off, if it is one.
  init(_ data: [UInt8]) {
    size = data.count
    guard let last = data.lastIndex(where: { $0 != 0 }), data[last] == Self.mark else {
      stored = data
      return
    }
    stored = Array(data[..<last])
  }

  /// The bytes as they were signed.
  var bytes: [UInt8] {
    guard size > stored.count else { return stored }
    return stored + [Self.mark] + [UInt8](repeating: 0, count: size - stored.count - 1)
  }
}
