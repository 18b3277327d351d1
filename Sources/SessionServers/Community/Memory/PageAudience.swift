import SessionStorage

/// Who gets an answer as it is.
enum PageAudience: Hashable, Sendable {
  /// Readers who do not sign.
  case strangers
  /// All readers but these people.
  case everybody(but: Set<Int64>)

  /// The people who may get another answer than everybody else.
  static let maxOthers = 4096

  /// `person` is nil for a reader who does not sign.
  func includes(_ person: Int64?) -> Bool {
    guard let person else { return true }
    return switch self {
    case .strangers: false
    case .everybody(let others): !others.contains(person)
    }
  }
}

extension SQL {
  /// Messages that some readers see, and others do not.
  fileprivate static let isForSome: SQL = "(filtered <> 0 OR whisperTo IS NOT NULL OR whisperMods = 1)"
}

extension Reading where Self: ~Copyable {
  /// Who gets the newest messages of a room as one reader does; nil for no one else. `page` is all of them, or `limit`.
  func audience(ofRecent page: [MessageRow], of room: Int64, limit: Int, for reader: MessageReader)
    throws(StorageError) -> PageAudience?
  {
    let oldest = page.count < limit ? 0 : page.last?.id ?? 0
    let isForSome = try exists(
      "SELECT 1 FROM message WHERE room = ?1 AND id >= ?2 AND data IS NOT NULL AND \(.isForSome)", room,
      oldest)
    return try audience(of: page, isForSome: isForSome, for: reader)
  }

  /// Who gets the changes of a room after one as one reader does; nil for no one else.
  func audience(
    ofChanges page: [PlacedMessage], since number: Int64, of room: Int64, for reader: MessageReader
  ) throws(StorageError) -> PageAudience? {
    let isChanged = try exists(
      "SELECT 1 FROM message WHERE room = ?1 AND dataSeq > ?2 AND \(.isForSome)", room, number)
    let isReacted = try exists(
      "SELECT 1 FROM message WHERE room = ?1 AND reactedSeq > ?2 AND reactedSeq > 0 AND \(.isForSome)", room,
      number)
    return try audience(of: page.map(\.message), isForSome: isChanged || isReacted, for: reader)
  }

  /// Those who have reacted to a message see that they have.
  private func audience(
    of page: [MessageRow], isForSome: Bool, for reader: MessageReader
  ) throws(StorageError) -> PageAudience? {
    // What strangers get depends on none of them.
    let few: PageAudience? = reader.isStranger ? .strangers : nil
    guard !isForSome else { return few }
    let reacted = page.filter { $0.reacted > 0 }
    if !reader.isStranger {
      for message in reacted {
        let isReactor = try exists(
          "SELECT 1 FROM reaction WHERE message = ?1 AND person = ?2", message.id, reader.person)
        if isReactor { return nil }
      }
    }
    var reactors: Set<Int64> = []
    for message in reacted {
      let found: [Int64] = try values(
        "SELECT DISTINCT person FROM reaction WHERE message = ?1 LIMIT ?2", message.id,
        PageAudience.maxOthers + 1)
      reactors.formUnion(found)
      guard reactors.count <= PageAudience.maxOthers else { return few }
    }
    return .everybody(but: reactors)
  }
}

extension MessageReader {
  /// True for a reader who does not sign.
  fileprivate var isStranger: Bool { person == 0 }
}
