import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// A message to a room as it is posted: each attempt posts the same bytes.
private struct SignedPost: Codable {
  let author: SessionID
  /// In base64, like the signature.
  let data: String
  let signature: String
}

extension Outbox {
  /// The name of the job effect that stores the signed message.
  private static let signing = "signing"

  /// Posts a message to a room. An attempt that failed, or ended with the program, may have posted it, so later ones look
  /// for it first.
  func post(
    _ unsealed: UnsealedMessage, to room: Community.Place, of delivery: Delivery, _ context: JobContext
  ) async throws -> JobResult {
    guard let client = environment.communities, let id = delivery.interactionID else {
      throw JobFailure(.permanent, MessengerError.noCommunities.message)
    }
    let (server, isPosted) = try await database.read { transaction in
      (try transaction.communityServer(room.server), try transaction.interaction(id)?.serverID != nil)
    }
    guard !isPosted else { return .done }
    guard let server else { throw JobFailure(.permanent, "you are not in this room any more") }
    let connection = CommunityConnection(
      server: try CommunityServer(room.server, key: server.publicKey), context: self.context, client: client)
    let (post, isFirst) = try await context.write { [self] transaction in
      try signOnce(unsealed, for: server, context.id, in: transaction)
    }
    let (data, signature) = (
      try [UInt8](base64: post.data.utf8), try [UInt8](base64: post.signature.utf8)
    )
    let posted: (number: Int64, postedAt: MessageTime, sequence: Int64)
    if !isFirst, let found = try await find(data, by: post.author, in: room, connection) {
      posted = found
    } else {
      let receipt = try await connection.perform(
        .post(data, signature: signature, in: room), isSignedByAuthor: true)
      posted = (receipt.number, receipt.postedAt, receipt.sequence)
    }
    let now = try time()
    return .done { transaction in
      guard let row = try transaction.interaction(id), row.serverID == nil else { return }
      try transaction.takePost(
        row, number: posted.number, postedAt: posted.postedAt, sequence: posted.sequence, at: now)
    }
  }

  /// Signs a message, and saves the result. Returns false with what an earlier attempt signed under the same id: the
  /// server may have it.
  private func signOnce(
    _ unsealed: UnsealedMessage, for server: CommunityServerRecord, _ job: JobRecord.ID,
    in transaction: borrowing WriteTransaction
  ) throws -> (SignedPost, isFirst: Bool) {
    let identity = try CommunityIdentity(
      of: account, on: server.publicKey, scheme: server.scheme ?? .blinded15)
    if let signed = try transaction.effect(Self.signing, of: job)?.result {
      let post = try JobPayload.decode(SignedPost.self, from: signed)
      if post.author == identity.author { return (post, isFirst: false) }
    }
    let data = try account.encode(unsealed.message(), for: .community)
    let post = SignedPost(
      author: identity.author, data: data.base64, signature: try identity.sign(post: data).base64)
    try transaction.putEffect(Self.signing, of: job, isDone: true, result: try JobPayload.encode(post))
    return (post, isFirst: true)
  }

  private func find(
    _ data: [UInt8], by author: SessionID, in room: Community.Place, _ connection: CommunityConnection
  ) async throws -> (number: Int64, postedAt: MessageTime, sequence: Int64)? {
    for message in try await connection.perform(.messages(.recent, in: room)).messages {
      guard case .post(let post) = message.change, post.author == author, post.data == data else { continue }
      return (message.number, post.postedAt, message.sequence)
    }
    return nil
  }
}

extension InteractionRecord {
  /// True for a message of ours that its community is not known to have.
  var isBeingPosted: Bool {
    kind == .outgoing && serverID == nil && (state == .sending || state == .failed)
  }
}

extension Reading where Self: ~Copyable {
  /// The id under which we write somewhere: in a room, that on its server.
  func author(in destination: Destination, of account: Account) throws -> SessionID {
    guard case .room(let room) = destination.place, let server = try communityServer(room.server) else {
      return account.id
    }
    return try CommunityIdentity(
      of: account, on: server.publicKey, scheme: server.scheme ?? .blinded15
    ).author
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
  /// Records that a community has a message of ours. Its time is that of the server, by which others quote it.
  func takePost(
    _ row: InteractionRecord, number: Int64, postedAt: MessageTime, sequence: Int64, at now: MessageTime
  ) throws {
    var posted = row
    posted.sentAt = postedAt.stored
    while let other = try interaction(in: row.threadID, by: row.author, sentAt: posted.sentAt),
      other.id != row.id
    { posted.sentAt += 1 }
    (posted.serverID, posted.serverSeqno) = (number, sequence)
    (posted.state, posted.failure) = (.sent, nil)
    try moveQuotes(of: row, to: posted.sentAt)
    try update(posted)
    try tell(.messageSent, posted, at: now)
  }
}
