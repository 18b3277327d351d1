import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// A change of a message in a room, which the server of the room carries out.
struct RoomChange: JobKind {
  enum Action: Codable, Hashable, Sendable {
    /// Adds or removes the reaction that is stored as pending.
    case react(pending: Int64)
    /// Gives a message of ours another text.
    case edit(body: String)
    /// Deletes a message for everyone.
    case delete
  }

  static let kind = "roomChange"
  static let queue = JobQueue("rooms", concurrency: 4)
  static let conditions = Delivery.conditions
  static let retry = RetryPolicy.unlimited
  static let lifetime: Duration? = .seconds(48 * 3600)
  /// How often a reaction is tried. Edits and deletions are tried until their lifetime ends.
  static let reactionAttempts = 10

  let interaction: Int64
  let action: Action
  let server: String

  var interactionID: InteractionRecord.ID { InteractionRecord.ID(rawValue: interaction) }
  /// Changes of one message keep their order. Other messages do not hold them up.
  var partition: String? { "\(server) \(interaction)" }
}

extension WriteTransaction {
  /// Requests a change of a message, after earlier changes of it.
  @discardableResult
  func request(
    _ action: RoomChange.Action, of message: InteractionRecord, in room: Community.Place, at now: Int64
  ) throws -> JobRecord.ID {
    if message.failure != nil {
      var changed = message
      changed.failure = nil
      try update(changed)
    }
    let change = RoomChange(interaction: message.id.rawValue, action: action, server: room.server)
    var request = JobRequest()
    (request.thread, request.interaction) = (message.threadID, message.id)
    request.dependencies = try predecessor(of: change.partition)
    return try enqueue(change, request, at: now)
  }
}

extension Outbox {
  func makeRoomChange() -> JobHandler {
    JobHandler(RoomChange.self) { [self] change, end, transaction in
      try unchanged(change, end, in: transaction)
    } run: { [self] change, context in
      let found = try await database.read { transaction in
        try transaction.roomMessage(change.interactionID)
      }
      // Its room was left.
      guard let (row, room) = found else { return .done }
      let connection = try await connection(to: room.server)
      switch (change.action, row.isDeleted ? nil : row.serverID) {
      case (.delete, _): return try await delete(row, in: room, connection)
      // It was deleted.
      case (_, nil): return .done
      case (.react(let id), _?):
        do {
          return try await carryOut(
            PendingReactionRecord.ID(rawValue: id), to: row.id, in: room, connection, context)
        } catch let error as NetworkFailure where context.failures + 1 >= RoomChange.reactionAttempts {
          throw JobFailure(.permanent, "\(error)")
        }
      case (.edit(let body), let number?):
        return try await edit(row, number, body, in: room, connection, context)
      }
    }
  }

  /// Deletes a message from its room. One of ours that was being posted may be there under a number that is not known.
  private func delete(
    _ row: InteractionRecord, in room: Community.Place, _ connection: CommunityConnection
  ) async throws -> JobResult {
    guard row.serverID != nil || row.state == .sending || row.state == .failed else {
      throw JobFailure(.permanent, "the server of this room does not have this message any more")
    }
    var number = row.serverID
    if number == nil { number = try await find(row, in: room, connection)?.number }
    if let number {
      do throws(NetworkFailure) {
        try await connection.performing(.delete(number, in: room))
      } catch {
        guard error.kind == .gone else { throw error }
      }
    }
    return .done { [self] transaction in
      guard let row = try transaction.interaction(row.id), !row.isDeleted else { return }
      try transaction.delete(row, .forEveryone, at: try time(), context)
    }
  }

  private func carryOut(
    _ id: PendingReactionRecord.ID, to message: InteractionRecord.ID, in room: Community.Place,
    _ connection: CommunityConnection, _ context: JobContext
  ) async throws -> JobResult {
    guard let pending = try await database.read({ transaction in try transaction.pendingReaction(id) }) else {
      // Another one made it unnecessary before it was tried.
      guard context.attempt > 1 else { return .done }
      throw JobFailure(.permanent, "the reaction was taken back: react again")
    }
    if let delay = reactionPace.delay(at: jobTime) { throw JobDeferral(for: .milliseconds(delay)) }
    reactionPace.note(at: jobTime)
    let call =
      try pending.isRemoval
      ? CommunityCall.removeReaction(pending.emoji, from: pending.serverID, in: room)
      : CommunityCall.react(pending.emoji, to: pending.serverID, in: room)
    let change = try await connection.perform(call)
    return .done { transaction in
      let cursor = try transaction.community(pending.threadID)?.sequenceNumber ?? 0
      // No later report will contain a change that a poll has passed.
      if change.sequence <= cursor {
        try transaction.delete(id)
      } else {
        try transaction.confirm(id, as: change.sequence)
      }
      guard var row = try transaction.interaction(message), row.changeFailure != nil else { return }
      row.failure = nil
      try transaction.update(row)
    }
  }

  private static let mostUntakenEdits = 2

  private func edit(
    _ row: InteractionRecord, _ number: Int64, _ body: String, in room: Community.Place,
    _ connection: CommunityConnection, _ context: JobContext
  ) async throws -> JobResult {
    let profile = try await queue.run { [self] in
      try author.configs.read { configs in try configs.ownProfile() }
    }
    let now = try time()
    let (data, signature, files) = try await database.read { [self] transaction in
      var changed = row
      changed.body = body
      let content = try transaction.visibleContent(of: changed, profile: profile)
      let data = try account.encode(Message(.visible(content), sentAt: now), for: .community)
      let identity = try transaction.identity(of: account, on: connection.server)
      return (data, try identity.sign(post: data), try transaction.roomFiles(of: row.id, in: room))
    }
    try await connection.perform(
      .edit(number, data, signature: signature, files: files, in: room), isSignedByAuthor: true)
    // A server whose filter refuses an edit does not say so. If it does not tell, the edit counts as done.
    if case .post(let post)? = try? await connection.perform(.message(number, in: room)).change,
      post.data != data
    {
      // Another process of the server may be a moment behind.
      throw JobFailure(
        context.failures < Self.mostUntakenEdits ? .retry() : .permanent,
        "the server did not take the new text: its filter may refuse it")
    }
    return .done { transaction in
      guard var row = try transaction.interaction(row.id), !row.isDeleted else { return }
      row.body = body
      row.failure = nil
      // The next poll brings the server's time of the edit.
      row.editedAt = row.editedAt ?? row.sentAt
      try transaction.update(row)
      try transaction.tell(.messageChanged, row, at: now)
    }
  }

  /// Takes back what was shown of a change, and records why it failed.
  private func unchanged(
    _ change: RoomChange, _ end: JobEnd, in transaction: borrowing WriteTransaction
  ) throws {
    if case .react(let id) = change.action {
      try transaction.takeBack(PendingReactionRecord.ID(rawValue: id), as: own)
    }
    guard var row = try transaction.interaction(change.interactionID) else { return }
    row.failure = end.reason
    try transaction.update(row)
    try transaction.tell(.messageChanged, row, at: try time())
  }
}

extension Reading where Self: ~Copyable {
  /// Returns a message of a room, or what is left of it; nil if there is none.
  func roomMessage(
    _ id: InteractionRecord.ID
  ) throws -> (row: InteractionRecord, room: Community.Place)? {
    guard let row = try interaction(id), let thread = try thread(row.threadID),
      case .room(let room)? = Conversation.ID(thread.address)
    else { return nil }
    return (row, room)
  }
}
