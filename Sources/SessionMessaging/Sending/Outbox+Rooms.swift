import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// A message to a room as it is posted: each attempt posts the same bytes, unless they have become too old.
private struct SignedPost: Codable {
  let author: SessionID
  /// What was signed, as the delivery has it: files may get other addresses.
  let content: String
  /// In base64, like the signature.
  let data: String
  let signature: String
}

/// A message of ours as a room has it.
struct PostedMessage: Sendable {
  let number: Int64
  let author: SessionID
  let postedAt: MessageTime
  let sequence: Int64
  /// True if the server hides it from all others.
  var isFiltered = false
}

extension Outbox {
  /// The name of the job effect that stores the signed message.
  fileprivate static let signing = "signing"
  /// The age of a message, in milliseconds, after which it is dated and signed again. Others refuse one that is older
  /// than six hours when it is posted.
  static let maxAge: Int64 = 5 * 3_600_000
  /// How far the time of a post, as its server tells it, may be from that of its message, in milliseconds.
  fileprivate static let postTolerance: Int64 = 6 * 3_600_000
  /// Where a message that an earlier attempt may have posted is looked for: in so many pages, and among messages that were
  /// posted up to so many milliseconds before it was written.
  private static let searchedPages = 10
  private static let searchedTime: Int64 = 600_000

  /// Posts a message to a room. An attempt that failed, or ended with the program, may have posted it, so later ones look
  /// for it first.
  func post(
    _ unsealed: UnsealedMessage, to room: Community.Place, of delivery: Delivery, _ context: JobContext
  ) async throws -> JobResult {
    guard let id = delivery.interactionID else { throw JobFailure(.permanent, "its message was deleted") }
    switch try await findPosted(id, isResent: delivery.isResent == true, in: room, context) {
    case .isKnown: return .done
    case .found(let posted): return try finish(id, as: posted)
    case .missing(let connection):
      return try finish(id, as: try await post(unsealed, as: id, to: room, connection, context))
    }
  }

  /// What is known about a message of ours before it is posted.
  enum PostSearch {
    /// A poll has brought it.
    case isKnown
    case found(PostedMessage)
    /// The room does not have it.
    case missing(CommunityConnection)
  }

  /// Looks for a message that an earlier attempt may have posted.
  func findPosted(
    _ id: InteractionRecord.ID, isResent: Bool, in room: Community.Place, _ context: JobContext
  ) async throws -> PostSearch {
    let (row, wasTried) = try await database.read { transaction in
      (
        try transaction.interaction(id),
        try isResent || transaction.effect(Self.signing, of: context.id) != nil
      )
    }
    guard let row, row.serverID == nil else { return .isKnown }
    let connection = try await connection(to: room.server)
    if wasTried, let found = try await find(row, in: room, connection) { return .found(found) }
    return .missing(connection)
  }

  func post(
    _ unsealed: UnsealedMessage, as id: InteractionRecord.ID, to room: Community.Place,
    _ connection: CommunityConnection, _ context: JobContext
  ) async throws -> PostedMessage {
    let isAdmin = try await database.read { transaction in
      CommunityPermissions(rawValue: try transaction.roomRecord(of: room)?.permissions ?? 0).contains(.admin)
    }
    let address = Conversation.ID.room(room).address
    if !isAdmin, let delay = postPace.delay(for: address, at: jobTime) {
      throw JobDeferral(for: .milliseconds(delay))
    }
    let (post, files, whisper) = try await context.write { [self] transaction in
      let post = try signOnce(unsealed, as: id, for: connection.server, context.id, in: transaction)
      return (
        post, try transaction.roomFiles(of: id, in: room), try transaction.interaction(id)?.roomWhisper
      )
    }
    // The server counts from when the request arrives.
    defer { postPace.note(for: address, at: jobTime) }
    let receipt = try await connection.perform(
      .post(
        [UInt8](base64: post.data.utf8), signature: [UInt8](base64: post.signature.utf8), files: files,
        whisper: whisper, in: room),
      isSignedByAuthor: true)
    return PostedMessage(
      number: receipt.number, author: post.author, postedAt: receipt.postedAt, sequence: receipt.sequence,
      isFiltered: receipt.isFiltered)
  }

  func finish(_ id: InteractionRecord.ID, as posted: PostedMessage) throws -> JobResult {
    let now = try time()
    return .done { transaction in
      guard let row = try transaction.interaction(id), row.serverID == nil else { return }
      try transaction.takePost(row, as: posted, at: now)
    }
  }

  /// Returns what sends requests to a server whose rooms we are in.
  func connection(to url: String) async throws -> CommunityConnection {
    guard let connection = try await context.connection(to: url) else {
      throw JobFailure(.permanent, "you are not in this room any more")
    }
    return connection
  }

  /// Signs a message, and saves the result. What an earlier attempt signed under the same id is signed again only when it
  /// has become too old.
  private func signOnce(
    _ unsealed: UnsealedMessage, as id: InteractionRecord.ID, for server: CommunityServer,
    _ job: JobRecord.ID, in transaction: borrowing WriteTransaction
  ) throws -> SignedPost {
    guard let row = try transaction.interaction(id) else {
      throw JobFailure(.permanent, "its message was deleted")
    }
    let identity = try transaction.identity(of: account, on: server)
    let now = try time()
    let isFresh = abs(now.stored - row.sentAt) < Self.maxAge
    if isFresh, let signed = try transaction.effect(Self.signing, of: job)?.result {
      let post = try JobPayload.decode(SignedPost.self, from: signed)
      if post.author == identity.author, post.content == unsealed.content { return post }
    }
    let dated = try transaction.put(row, by: identity.author, at: isFresh ? row.time : now, now: now)
    let written = try unsealed.message()
    let message = try Message(
      written.content, sentAt: dated.time, disappearing: written.disappearing, pro: written.pro)
    let data = try account.encode(message, for: .community)
    let post = SignedPost(
      author: identity.author, content: unsealed.content, data: data.base64,
      signature: try identity.sign(post: data).base64)
    try transaction.putEffect(Self.signing, of: job, isDone: true, result: try JobPayload.encode(post))
    return post
  }

  /// Looks for a message of ours in a room, whichever of our ids it was posted under. Throws if there are too many
  /// newer ones that no poll has brought.
  func find(
    _ row: InteractionRecord, in room: Community.Place, _ connection: CommunityConnection
  ) async throws -> PostedMessage? {
    let own = try SourcePeople(onServer: connection.server.key, for: account, blocked: []).own
    var (span, first) = (CommunitySpan.recent, Int64.max)
    for _ in 0..<Self.searchedPages {
      let call = CommunityCall<CommunityPage>.messages(span, in: room)
      let page = try await connection.perform(call)
      var oldest: (number: Int64, postedAt: Int64)?
      for message in page.messages {
        guard case .post(let post) = message.change else { continue }
        oldest = (message.number, post.postedAt.stored)
        guard own.contains(post.author), try await isSame(post, row) else { continue }
        return PostedMessage(
          number: message.number, author: post.author, postedAt: post.postedAt, sequence: message.sequence)
      }
      guard let oldest, page.isFull(),
        oldest.postedAt > row.sentAt - Self.searchedTime
      else { return nil }
      (span, first) = (.before(number: oldest.number), oldest.number)
    }
    // A poll that has passed it would have recognised it.
    let isPassed = try await database.read { [first] transaction in
      try transaction.gaps(in: row.threadID).isEmpty
        && first <= transaction.newestNumber(in: row.threadID) ?? 0
    }
    guard isPassed else {
      throw JobFailure(.retry(after: .seconds(60)), "the room has too many messages that were not polled yet")
    }
    return nil
  }

  private func isSame(_ post: CommunityPost, _ row: InteractionRecord) async throws -> Bool {
    let origin = MessageOrigin.community(sender: post.author, postedAt: post.editedAt ?? post.postedAt)
    guard let message = try? account.decode(post.data, from: origin).message,
      message.sentAt?.stored == row.sentAt
    else { return false }
    return try await database.read { transaction in
      try transaction.isPost(post.data, message, of: row)
    }
  }
}

extension InteractionRecord {
  /// Who is to see a message of ours in a room; nil for everyone.
  fileprivate var roomWhisper: CommunityPost.Whisper? {
    guard isWhisper else { return nil }
    return whisperTo.flatMap { SessionID($0) }.map { .person($0) } ?? .moderators
  }

  /// True for a message of ours that its community is not known to have.
  var isBeingPosted: Bool {
    kind == .outgoing && serverID == nil && (state == .sending || state == .failed)
  }
}

private enum RoomPostStatements {
  static let signed: SQL = """
    SELECT e.result FROM job j CROSS JOIN jobEffect e \
    WHERE j.interactionID = ? AND e.jobID = j.id AND e.name GLOB ? AND e.result IS NOT NULL
    """
}

extension Reading where Self: ~Copyable {
  /// What the jobs that are remembered have signed of a message of ours.
  fileprivate func signedPosts(of id: InteractionRecord.ID) throws -> [[UInt8]] {
    try values(RoomPostStatements.signed, id, "\(Outbox.signing)*")
  }

  /// The same as it was posted, in base64.
  fileprivate func signedData(of id: InteractionRecord.ID) throws -> [String] {
    try signedPosts(of: id).map { try JobPayload.decode(SignedPost.self, from: $0).data }
  }

  /// True if a post under one of our ids is a message of ours. Another device may have written in the same millisecond,
  /// so it has to be the bytes that were signed here, or at least the same text with as many files.
  func isPost(_ data: [UInt8], _ message: Message, of row: InteractionRecord) throws -> Bool {
    guard message.sentAt?.stored == row.sentAt, case .visible(let visible) = message.content else {
      return false
    }
    if try signedData(of: row.id).contains(data.base64) { return true }
    return try !row.isDeleted && visible.body.shown == (row.body ?? "").shown
      && visible.attachments.count == attachments(of: row.id).count
  }

  /// True if a room may have a message of ours whose number is not known: an attempt has signed it, or one has failed.
  func mayBePosted(_ row: InteractionRecord) throws -> Bool {
    if try row.state == .failed || !signedData(of: row.id).isEmpty { return true }
    if let job = try job(Delivery.kind, for: Delivery.key(.message, row.id.rawValue)),
      try Delivery.decode(job.payload, version: job.version).isResent == true
    {
      return true
    }
    if let job = try job(AttachmentSending.kind, for: AttachmentSending.key(row.id)) {
      return try AttachmentSending.decode(job.payload, version: job.version).isResent == true
    }
    return false
  }

  /// The id under which we write somewhere: in a room, that on its server.
  func author(in destination: Destination, of account: Account) throws -> SessionID {
    guard case .room(let room) = destination.place, let server = try communityServer(room.server) else {
      return account.id
    }
    return try identity(of: account, on: CommunityServer(server.url, key: server.publicKey)).author
  }

  /// Our ids on a server. While nothing is known about it they are blinded.
  func identity(of account: Account, on server: CommunityServer) throws -> CommunityIdentity {
    try CommunityIdentity(
      of: account, on: server.key, scheme: try communityServer(server.url)?.scheme ?? .blinded15)
  }

  /// Throws the reason why nothing can be posted to a room.
  func requireWriting(in room: Community.Place) throws {
    guard let thread = try thread(at: Conversation.ID.room(room).address),
      let record = try community(thread.id)
    else { throw MessengerError(.noConversation, "you are not in this room") }
    guard CommunityPermissions(rawValue: record.permissions).contains(.write) else {
      throw MessengerError(
        .notAllowed,
        record.state == .joining
          ? "the server of this room has not let you in yet" : "you may not write in this room")
    }
  }
}

extension WriteTransaction {
  /// Has a job remember what was signed of a message. The cancelled delivery is soon forgotten.
  func keepSignedPosts(of id: InteractionRecord.ID, in job: JobRecord.ID) throws {
    for (place, post) in try signedPosts(of: id).enumerated() {
      try putEffect("\(Outbox.signing)\(place)", of: job, isDone: true, result: post)
    }
  }

  /// Records that a community has a message of ours. Its time is that of the server, by which others quote it, unless
  /// that is too far from its own. Its author is the id under which it was posted.
  func takePost(_ row: InteractionRecord, as post: PostedMessage, at now: MessageTime) throws {
    // A poll may have brought it as a message of its own.
    if let other = try interaction(in: row.threadID, serverID: post.number), other.id != row.id {
      try tell(.messageDeleted, other, at: now)
      try delete(other)
    }
    var posted = row
    posted.author = post.author.address
    if abs(post.postedAt.stored - row.sentAt) <= Outbox.postTolerance { posted.sentAt = post.postedAt.stored }
    while let other = try interaction(in: row.threadID, by: posted.author, sentAt: posted.sentAt),
      other.id != row.id
    { posted.sentAt += 1 }
    (posted.serverID, posted.serverSeqno) = (post.number, post.sequence)
    (posted.state, posted.failure, posted.isFiltered) = (.sent, nil, post.isFiltered)
    try moveQuotes(of: row, to: posted)
    try update(posted)
    try tell(.messageSent, posted, at: now)
  }

  /// Gives a message that is not posted yet another author or time, if it has not got them, and returns it.
  fileprivate func put(
    _ row: InteractionRecord, by author: SessionID, at time: MessageTime, now: MessageTime
  ) throws -> InteractionRecord {
    guard row.author != author.address || row.sentAt != time.stored,
      let thread = try thread(row.threadID)
    else { return row }
    var changed = row
    changed.author = author.address
    changed.sentAt = try freeTime(in: thread, by: author, from: time, except: row.id)
    try update(changed)
    try moveQuotes(of: row, to: changed)
    try tell(.messageChanged, changed, at: now)
    return changed
  }
}
