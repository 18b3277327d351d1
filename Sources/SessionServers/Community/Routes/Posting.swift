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

/// What a request does with a message.
enum PostKind: String, Sendable {
  case post, edit
}

/// A post or an edit, and what filters say of it.
struct JudgedPost: Sendable {
  let post: SignedPost
  /// What can be read of it; nil for what filters do not see.
  let content: PostedText?
  var verdict: MessageFilter.Verdict

  /// True if the author alone sees it. Throws 429 for a refusal.
  func hides(from rights: RoomRights, _ rules: CommunityRules) throws(CommunityRefusal) -> Bool {
    guard !rights.isModerator || rules.options.filter.appliesToModerators else { return false }
    return try verdict.isSilent
  }
}

extension CommunityVisit {
  /// The id that signs the request. Throws 401 for an anonymous one.
  func signer() throws(CommunityRefusal) -> SessionID {
    guard let author else { throw .unsigned }
    return author
  }

  /// Throws unless the caller may post, or edit the message of the path: looking at a text costs more than this. Returns
  /// the token of the room if filters apply to the caller.
  func checkPosting<Transaction: Reading & ~Copyable>(
    _ kind: PostKind, in transaction: borrowing Transaction, _ caller: CommunityCaller?
  ) throws -> String? {
    let (room, rights) = try room(in: transaction, caller, needs: .write)
    guard let caller else { throw CommunityRefusal.unsigned }
    if kind == .edit { _ = try ownMessage(in: transaction, caller, room, rights) }
    try checkPace(of: caller, in: room, rights, transaction)
    return !rights.isModerator || rules.options.filter.appliesToModerators ? room.token : nil
  }

  /// The post that a request carries, and what filters say of it. It may take long.
  func judgedPost() throws -> JudgedPost? {
    guard let author else { return nil }
    let post = try SignedPost(try json(), by: author)
    let content = rules.filter.content(of: post.text.bytes, postedAt: now)
    return JudgedPost(
      post: post, content: content, verdict: content.map { rules.filter.judge($0) } ?? .accept)
  }

  /// What the operator's program says of a post in a room that the other filters accept. A path may spell the room's token
  /// in another way.
  func verdict(of judged: JudgedPost, in room: String, _ kind: PostKind) async -> MessageFilter.Verdict {
    guard judged.verdict == .accept, let program = rules.program, let author, let content = judged.content
    else { return judged.verdict }
    return await program.judge(
      FilterProgram.Question(
        room: room, author: author.description, kind: kind.rawValue, text: content.text,
        name: content.name ?? "", files: judged.post.files.count, size: judged.post.text.size))
  }

  /// Posts a reply to the author of a caught message; nil for none. A refused message counts like a change, and beyond
  /// their limit there are no replies, so that no one fills a room with them.
  func reply(
    to judged: JudgedPost, after refusal: CommunityRefusal?
  ) -> (@Sendable (borrowing WriteTransaction) throws -> Void)? {
    guard case .caught(let caught) = judged.verdict, let author,
      refusal == (caught.outcome == .refuse ? caught.refusal : nil),
      let template = caught.reply ?? rules.options.filter.replies.randomElement()
    else { return nil }
    if refusal != nil { do { try countChange() } catch { return nil } }
    return { transaction in
      guard let room = try transaction.room(self["room"]),
        let reader = try transaction.person(key: try rules.persons.key(of: author))
      else { return }
      // What a filter has caught may be the name, which others are not to read.
      let name = rules.options.filter.repliesArePublic ? nil : judged.content?.name
      let text = FilterReply(template, author: author, name: name, room: room).text
      let post = try rules.filterAuthors.write(text, by: caught.filter, now: now)
      let writer = try transaction.meet(post.author.key, as: post.author.description, now: now)
      var message = NewMessage(
        author: writer.id, signer: post.author.description, text: post.text, signature: post.signature)
      if !rules.options.filter.repliesArePublic { message.whisperTo = reader.id }
      _ = try transaction.post(message, in: room, now: now)
    }
  }

  func writes(_ kind: PostKind, _ judged: JudgedPost?) throws -> CommunityRoute.Writes {
    switch kind {
    case .post: try post(judged)
    case .edit: edit(judged)
    }
  }

  private func post(_ judged: JudgedPost?) throws -> CommunityRoute.Writes {
    let options = judged == nil ? JSONValue.null : try json()
    let toModerators = try options.flag("whisper_mods") ?? false
    let whisperTo = try options.text("whisper_to").map { try rules.persons.named($0) }
    return { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .write)
      guard let caller, let judged else { throw CommunityRefusal.unsigned }
      let post = judged.post
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
      message.isFiltered = try judged.hides(from: rights, rules)
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

  /// Throws 429 for more posts and edits than a person may make. Posts are counted in the rows, which all processes share.
  private func checkPace<Transaction: Reading & ~Copyable>(
    of caller: CommunityCaller, in room: RoomRow, _ rights: RoomRights, _ transaction: borrowing Transaction
  ) throws {
    guard !rights.isAdmin, let end = try paceEnd(of: caller.person.id, in: room, rights, transaction) else {
      return
    }
    rules.paces.refusedPosts.note(caller.person.id, in: room.token, until: end, now: now)
    throw CommunityRefusal.limited(until: end, now: now)
  }

  /// When the limit ends that a person has reached; nil if they have reached none.
  private func paceEnd<Transaction: Reading & ~Copyable>(
    of person: Int64, in room: RoomRow, _ rights: RoomRights, _ transaction: borrowing Transaction
  ) throws(StorageError) -> Int64? {
    let limits = rules.options.postLimit
    let times = try recentPosts(of: person, in: room, within: limits.span, limit: limits.count, transaction)
    if times.count >= limits.count { return times[limits.count - 1] + limits.span }
    if room.slow > 0, !rights.isModerator {
      let last = try recentPosts(of: person, in: room, within: room.slow * 1000, limit: 1, transaction)
      if let last = last.first { return last + room.slow * 1000 }
    }
    let (most, start, latest) = (rules.options.postsPerDay, now - Self.day, now + Self.day)
    let edits = rules.paces.edits.times(of: person, in: nil, after: start, upTo: latest)
    let count = try transaction.postCount(of: person, after: start, upTo: latest, limit: most)
    guard count + edits.count >= most else { return nil }
    let posts = try transaction.postTimes(of: person, after: start, upTo: latest, limit: most)
    return (posts + edits).sorted(by: >)[most - 1] + Self.day
  }

  private static let day: Int64 = 86_400_000

  /// The times of a person's posts and edits, the latest first.
  private func recentPosts<Transaction: Reading & ~Copyable>(
    of person: Int64, in room: RoomRow, within span: Int64, limit: Int, _ transaction: borrowing Transaction
  ) throws(StorageError) -> [Int64] {
    let posts = try transaction.postTimes(
      of: person, in: room.id, after: now - span, upTo: now + span, limit: limit)
    let edits = rules.paces.edits.times(of: person, in: room.id, after: now - span, upTo: now + span)
    return (posts + edits).sorted(by: >)
  }

  /// Counts an edit, a deletion or a reaction of the caller. Throws 429 for one too many.
  func countChange() throws(CommunityRefusal) {
    guard let author else { return }
    try rules.paces.check(changeBy: try rules.persons.key(of: author), now: now)
  }

  /// The message of the path, which the caller has written under the same id: the row keeps the id that signed it first,
  /// and so must the signature.
  private func ownMessage<Transaction: Reading & ~Copyable>(
    in transaction: borrowing Transaction, _ caller: CommunityCaller, _ room: RoomRow, _ rights: RoomRights
  ) throws -> MessageRow {
    let reader = MessageReader(caller, rights)
    guard let message = try transaction.message(try number("number"), of: room.id, for: reader) else {
      throw CommunityRefusal.noMessage
    }
    guard message.author == caller.person.id else {
      throw CommunityRefusal.forbidden("Only the author edits a message")
    }
    guard message.signer == caller.id else {
      throw CommunityRefusal.forbidden("The message was signed with another id")
    }
    return message
  }

  private func edit(_ judged: JudgedPost?) -> CommunityRoute.Writes {
    { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .write)
      guard let caller, let judged else { throw CommunityRefusal.unsigned }
      let (post, person) = (judged.post, caller.person.id)
      let message = try ownMessage(in: transaction, caller, room, rights)
      try checkPace(of: caller, in: room, rights, transaction)
      if rules.options.ownHistoryDays > 0 {
        try transaction.keepHistory(of: message, by: person, now: now)
      }
      let hides = try judged.hides(from: rights, rules)
      if !rights.isAdmin {
        rules.paces.edits.note(person, in: room.id, transaction, now: now)
      }
      try transaction.edit(
        message, of: room.id, post.text, post.signature, hides: hides, lifetime: rules.options.fileLifetime,
        now: now)
      try transaction.own(
        post.files, message: message.id, of: room.id, by: person, lifetime: rules.options.fileLifetime,
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
