import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// A message that is sealed when it is delivered, with the newest key at that time.
struct UnsealedMessage: Codable, Hashable, Sendable {
  let conversation: Conversation.ID
  /// The bytes of the message, in base64.
  let content: String
  /// Milliseconds since 1970.
  let sentAt: Int64
  /// The bytes of a message that must precede it, in base64.
  var first: String?

  /// The prefix of the names of effects that keep the sealed bytes of a delivery.
  fileprivate static let sealedPrefix = "sealed:"

  init(
    _ message: Message, in conversation: Conversation.ID, sentAt: Int64, before first: Message? = nil
  ) throws {
    self.conversation = conversation
    self.sentAt = sentAt
    content = try message.bytes().base64
    self.first = try first?.bytes().base64
  }

  func message() throws -> Message { try Message(parsing: [UInt8](base64: content.utf8)) }

  /// The message that must precede it.
  func firstMessage() throws -> Message? {
    try first.map { first in try Message(parsing: [UInt8](base64: first.utf8)) }
  }
}

extension Outbox {
  /// How long a message waits for a key of its group, in milliseconds.
  static let keyTimeout: Int64 = 24 * 3_600_000

  /// Seals a message with the newest key of its group and stores it, signed with our current credentials in the
  /// group.
  func deliver(
    _ unsealed: UnsealedMessage, of delivery: Delivery, _ context: JobContext
  ) async throws -> JobResult {
    switch unsealed.conversation {
    case .room(let room): return try await post(unsealed, to: room, of: delivery, context)
    case .person(let id) where id.isBlinded:
      return try await send(unsealed, toBlinded: id, of: delivery, context)
    case .person: return try await deliver(whenKeysAreThere: unsealed, of: delivery, context)
    case .group: break
    }
    let group = delivery.swarm
    let (credentials, key): (Credentials, SecretBytes)
    switch try await queue.run({ [self] in try means(of: group, for: context.id) }) {
    case .ready(let rights, let newest): (credentials, key) = (rights, newest)
    case .waiting: throw JobDeferral(for: .zero)
    case .gone:
      // Such messages only inform the members.
      guard delivery.role != .notice else { return .done }
      throw JobFailure(.permanent, "you are not in this group any more")
    }
    let item = try await context.write { [self] transaction in
      try sealOnce(unsealed, of: delivery, with: key, context.id, in: transaction)
    }
    let results: [SwarmStepResult]
    do throws(NetworkFailure) {
      results = try await environment.swarms.perform(
        [.store(item)], in: group, as: credentials.signer, atOnce: delivery.role == .message)
      try results.check()
    } catch {
      // A node may not know yet that we are in, or in again.
      guard error.kind == .unauthorized, try await !context.wasRefusedBefore("access", by: error.node) else {
        throw error
      }
      throw JobFailure(.retry(), error.message)
    }
    let receipt = try Receipt(for: item, in: group, results[0], at: time())
    return .done { [self] transaction in try take(receipt, for: delivery, in: transaction) }
  }

  private enum Means {
    /// Our credentials in a group, and the key that seals messages to it.
    case ready(Credentials, SecretBytes)
    /// There is no key yet.
    case waiting
    /// We are not in the group.
    case gone
  }

  /// Returns what sends messages to a group. Without a key, the job waits for one from now on. While the configs are
  /// locked, no key can arrive and the group cannot end unseen.
  private func means(of group: SessionID, for job: JobRecord.ID) throws -> Means {
    try author.configs.read { configs in
      let isNew = configs.unlisted.contains(group)
      if !isNew {
        guard let credentials = try configs.groups[group]?.credentials(of: account) else { return .gone }
        if let key = try configs.messageKey(of: group) { return .ready(credentials, key) }
      }
      // The first messages of a new group wait for its creation without a deadline.
      let deadline = isNew ? nil : jobTime + Self.keyTimeout
      try database.write { transaction in try transaction.wait(job, forKeyOf: group, until: deadline) }
      return .waiting
    }
  }

  /// Seals a message and saves the result, so that each attempt stores the same bytes while the key stays the newest.
  private func sealOnce(
    _ unsealed: UnsealedMessage, of delivery: Delivery, with key: SecretBytes, _ job: JobRecord.ID,
    in transaction: borrowing WriteTransaction
  ) throws -> SwarmItem {
    try stopWaiting(job, in: transaction)
    let group = delivery.swarm
    // Two keys may have the same generation.
    let name = try UnsealedMessage.sealedPrefix + key.digest().prefix(8).hex
    if let sealed = try transaction.effect(name, of: job)?.result {
      return try JobPayload.decode(SealedItem.self, from: sealed).item()
    }
    let message = try unsealed.message()
    let destination = try Destination(unsealed.conversation, own: own)
    let item = SwarmItem(
      try account.encode(message, for: .group(group, key: key)), in: .groupMessages,
      for: destination.lifetime(of: message.content.kind, with: message.disappearing))
    try transaction.remember(
      item.hash(in: group), in: group, until: time().stored + item.lifetime.milliseconds,
      lasts: message.content.kind == .groupInviteResponse)
    if delivery.role == .message, let id = delivery.interactionID {
      try transaction.keep(item.hash(in: group), of: id)
    }
    if case .reaction(let reaction) = message.content {
      try transaction.keep(item.hash(in: group), of: reaction, by: own, in: group)
    }
    try transaction.putEffect(
      name, of: job, isDone: true, result: try JobPayload.encode(SealedItem(item)))
    return item
  }

  /// Ends the wait for a key; the waiting time does not count against sending.
  private func stopWaiting(_ id: JobRecord.ID, in transaction: borrowing WriteTransaction) throws {
    guard var job = try transaction.job(id), job.deadline != nil else { return }
    (job.deadline, job.failure) = (nil, nil)
    try transaction.update(job)
  }
}

extension WriteTransaction {
  /// Requests the delivery of a message without a row to a group. It does not overtake the messages before it.
  func requestNotice(
    _ message: Message, sentAt: Int64, to group: SessionID, in thread: ThreadRecord.ID, at now: Int64
  ) throws {
    let unsealed = try UnsealedMessage(message, in: .group(group), sentAt: sentAt)
    try request(
      Delivery(swarm: group, items: [], role: .notice, keepsOrder: true, unsealed: unsealed), in: thread,
      at: now)
  }

  /// Has a job wait for a key of a group; without a deadline, for ever.
  fileprivate func wait(_ id: JobRecord.ID, forKeyOf group: SessionID, until deadline: Int64?) throws {
    guard var job = try job(id) else { return }
    try add(.event(ConfigAuthor.keyEvent(of: group)), to: id)
    guard let deadline, job.deadline == nil else { return }
    (job.deadline, job.failure) = (deadline, "the key of the group has not arrived")
    try update(job)
  }

  /// Keeps the hash of our own reaction: an admin who deletes its message deletes it too.
  fileprivate func keep(
    _ hash: String, of reaction: MessageReaction, by own: SessionID, in group: SessionID
  ) throws {
    guard reaction.action == .react, let thread = try thread(at: group.address),
      let target = try interaction(
        in: thread.id, by: reaction.targetAuthor.address, sentAt: reaction.targetSentAt.stored),
      var record = try reactions(to: target.id).first(where: {
        $0.author == own.address && $0.emoji.emojiKey == reaction.emojiKey
      })
    else { return }
    record.serverHash = hash
    try put(record)
  }
}
