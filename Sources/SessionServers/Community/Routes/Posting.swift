import SessionBase
import SessionCore
import SessionStorage

/// A post or an edit, as it was sent, with a signature that is right.
struct SignedPost: Sendable {
  /// Bytes of a text with its padding.
  static let maxBytes = 100_000
  /// Files of a message.
  static let maxFiles = 100

  let text: PaddedText
  let signature: [UInt8]
  /// The numbers of files that go with it.
  let files: [Int64]

  /// Throws 400 for what no author can have signed, and 413 for too much.
  init(_ json: JSONValue, by author: SessionID) throws(CommunityRefusal) {
    let data = try json.base64("data")
    guard !data.isEmpty else { throw .invalid("data is empty") }
    guard data.count <= Self.maxBytes else { throw CommunityRefusal(413, "data is too large") }
    signature = try json.base64("signature")
    guard signature.count == 64 else { throw .invalid("signature has not 64 bytes") }
    guard (try? author.verify(signature, of: data)) != nil else {
      throw .invalid("signature is not that of the author over data")
    }
    text = PaddedText(data)
    files = try Self.files(json["files"])
  }

  /// The numbers, also as texts.
  private static func files(_ json: JSONValue?) throws(CommunityRefusal) -> [Int64] {
    switch json {
    case nil, .null?: return []
    case .array(let elements)? where elements.count <= maxFiles:
      var files: [Int64] = []
      for element in elements {
        guard let number = element.integer ?? element.string.flatMap({ Int64($0) }) else {
          throw .invalid("files has something else than numbers")
        }
        files.append(number)
      }
      return files
    default: throw .invalid("files is not a list of some numbers")
    }
  }
}

extension CommunityVisit {
  /// The id that signs the request. Throws 401 for an anonymous one.
  func signer() throws(CommunityRefusal) -> SessionID {
    guard let author else { throw .unsigned }
    return author
  }

  func post() throws -> CommunityRoute.Writes {
    let post = try author.map { try SignedPost(try json(), by: $0) }
    let options = post == nil ? JSONValue.null : try json()
    let verdict = post.map { rules.filter.judge($0.text.bytes, postedAt: now) } ?? .accept
    let appliesToModerators = rules.options.filter.appliesToModerators
    let toModerators = try options.flag("whisper_mods") ?? false
    let whisperTo = try options.text("whisper_to").map { try rules.persons.named($0) }
    return { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .write)
      guard let caller, let post else { throw CommunityRefusal.unsigned }
      var message = NewMessage(
        author: caller.person.id, signer: caller.id, text: post.text, signature: post.signature)
      if whisperTo != nil || toModerators {
        guard rights.isModerator else { throw CommunityRefusal.forbidden("Only moderators whisper") }
        message.isWhisperToModerators = toModerators
      }
      if let whisperTo {
        guard let recipient = try transaction.person(key: whisperTo.key) else {
          throw CommunityRefusal.invalid("whisper_to is not known here")
        }
        message.whisperTo = recipient.id
      }
      try checkPace(of: caller, in: room, rights, transaction)
      if !rights.isModerator || appliesToModerators { message.isFiltered = try verdict.isSilent }
      let number = try transaction.post(message, in: room, now: now)
      try transaction.own(
        post.files, message: number, of: room.id, by: caller.person.id, lifetime: rules.options.fileLifetime,
        now: now)
      let reader = MessageReader(caller, rights)
      guard let stored = try transaction.message(number, of: room.id, for: reader) else {
        throw StorageError(.missing, "a message that was written")
      }
      return .json(
        try MessageWriter(reader: reader, reactors: 0).object(stored, in: transaction), status: 201)
    }
  }

  /// Throws 429 for more posts than a person may make.
  private func checkPace(
    of caller: CommunityCaller, in room: RoomRow, _ rights: RoomRights,
    _ transaction: borrowing WriteTransaction
  ) throws {
    guard !rights.isAdmin else { return }
    try rules.paces.check(postBy: caller.person.key, now: now)
    let limits = rules.options.postLimit
    let times = try transaction.postTimes(
      of: caller.person.id, in: room.id, after: now - limits.span, upTo: now + limits.span,
      limit: limits.count)
    if times.count >= limits.count, let oldest = times.last {
      throw CommunityRefusal(
        429, "Rate limited", retryAfter: max((oldest + limits.span - now + 999) / 1000, 1))
    }
    guard room.slow > 0, !rights.isModerator else { return }
    let last = try transaction.postTimes(
      of: caller.person.id, in: room.id, after: now - room.slow * 1000, upTo: now + room.slow * 1000, limit: 1
    )
    if let last = last.first {
      throw CommunityRefusal(
        429, "Rate limited", retryAfter: max((last + room.slow * 1000 - now + 999) / 1000, 1))
    }
  }

  /// Counts an edit, a deletion or a reaction of the caller. Throws 429 for one too many.
  func countChange() throws(CommunityRefusal) {
    guard let author else { return }
    try rules.paces.check(changeBy: try rules.persons.key(of: author), now: now)
  }

  func edit() throws -> CommunityRoute.Writes {
    try countChange()
    let number = try number("number")
    let appliesToModerators = rules.options.filter.appliesToModerators
    let post = try author.map { try SignedPost(try json(), by: $0) }
    let verdict = post.map { rules.filter.judge($0.text.bytes, postedAt: now) } ?? .accept
    return { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .write)
      guard let caller, let post else { throw CommunityRefusal.unsigned }
      let reader = MessageReader(caller, rights)
      guard let message = try transaction.message(number, of: room.id, for: reader) else {
        throw CommunityRefusal.noMessage
      }
      guard message.author == caller.person.id else {
        throw CommunityRefusal.forbidden("Only the author edits a message")
      }
      // The row keeps the id that signed it first, and so must the signature.
      guard message.signer == caller.id else {
        throw CommunityRefusal.forbidden("The message was signed with another id")
      }
      try checkPace(of: caller, in: room, rights, transaction)
      if rules.options.ownHistoryDays > 0 {
        try transaction.keepHistory(of: message, by: caller.person.id, now: now)
      }
      let hides = try (!rights.isModerator || appliesToModerators) && verdict.isSilent
      try transaction.edit(message, of: room.id, post.text, post.signature, hides: hides, now: now)
      try transaction.own(
        post.files, message: number, of: room.id, by: caller.person.id, lifetime: rules.options.fileLifetime,
        now: now)
      return .json([:])
    }
  }

  func deleteMessage() throws -> CommunityRoute.Writes {
    try countChange()
    let number = try number("number")
    return { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .member)
      guard let caller else { throw CommunityRefusal.unsigned }
      guard let message = try transaction.message(number, of: room.id, for: MessageReader(caller, rights))
      else { throw CommunityRefusal.noMessage }
      guard message.author == caller.person.id || rights.isModerator else {
        throw CommunityRefusal.forbidden("Only the author and moderators delete a message")
      }
      let isOwn = message.author == caller.person.id
      if (isOwn ? rules.options.ownHistoryDays : rules.options.historyDays) > 0 {
        try transaction.keepHistory(of: message, by: caller.person.id, now: now)
      }
      try transaction.delete(message, of: room.id, now: now)
      if !isOwn { try transaction.noteDeletion(of: message, in: room, by: caller, now: now) }
      return .json([:])
    }
  }
}
