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

  /// What the names of a delivery's effects begin with that keep its sealed bytes.
  fileprivate static let sealedPrefix = "sealed:"

  init(_ message: Message, in conversation: Conversation.ID, sentAt: Int64) throws {
    self.conversation = conversation
    self.sentAt = sentAt
    content = try message.bytes().base64
  }

  func message() throws -> Message { try Message(parsing: [UInt8](base64: content.utf8)) }
}

extension Outbox {
  /// How long a message waits for a key of its group, in milliseconds.
  static let keyPatience: Int64 = 24 * 3_600_000

  /// Seals a message with the newest key of its group and stores it, signed with our current credentials in the
  /// group.
  func deliver(
    _ unsealed: UnsealedMessage, of delivery: Delivery, _ context: JobContext
  ) async throws -> JobResult {
    let group = delivery.swarm
    guard let (credentials, key) = try await queue.run({ [self] in try means(of: group, for: context.id) })
    else {
      throw JobDeferral(for: .zero)
    }
    let parcel = try await context.write { [self] transaction in
      try sealOnce(unsealed, for: group, with: key, context.id, in: transaction)
    }
    let results: [SwarmStepResult]
    do throws(NetworkFailure) {
      results = try await environment.swarms.perform(
        [.store(parcel)], in: group, as: credentials.signer, atOnce: delivery.role == .message)
      try results.check()
    } catch {
      // A node may not know yet that we are in, or in again.
      guard error.kind == .unauthorized, try await !context.wasRefusedBefore("access") else { throw error }
      throw JobFailure(.retry(), error.message)
    }
    let receipt = try Receipt(for: parcel, in: group, results[0], at: time())
    return .done { [self] transaction in try take(receipt, for: delivery, in: transaction) }
  }

  /// Returns our credentials in a group and the key that seals messages to it. Without a key, the job waits for one from
  /// now on, and the result is nil. While the configs are locked, no key can arrive and the group cannot end unseen.
  private func means(of group: SessionID, for job: JobRecord.ID) throws -> (Credentials, SecretBytes)? {
    try author.configs.read { configs in
      let isNew = configs.unlisted.contains(group)
      if !isNew {
        guard let credentials = try configs.groups[group]?.credentials(of: account) else {
          throw JobFailure(.permanent, "you are not in this group any more")
        }
        if let key = try configs.messageKey(of: group) { return (credentials, key) }
      }
      // However long it takes to create the group, its first messages wait.
      let deadline = isNew ? nil : jobTime + Self.keyPatience
      try database.write { transaction in try transaction.wait(job, forKeyOf: group, until: deadline) }
      return nil
    }
  }

  /// Seals a message and saves the result, so that each attempt stores the same bytes while the key stays the newest.
  private func sealOnce(
    _ unsealed: UnsealedMessage, for group: SessionID, with key: SecretBytes, _ job: JobRecord.ID,
    in transaction: borrowing WriteTransaction
  ) throws -> SwarmParcel {
    try stopWaiting(job, in: transaction)
    // Two keys may have the same generation.
    let name = try UnsealedMessage.sealedPrefix + key.digest().prefix(8).hex
    if let sealed = try transaction.effect(name, of: job)?.result {
      return try JobPayload.decode(SealedParcel.self, from: sealed).parcel()
    }
    let message = try unsealed.message()
    let destination = try Destination(unsealed.conversation, own: own)
    let parcel = SwarmParcel(
      try account.encode(message, for: .group(group, key: key)), in: destination.namespace,
      for: destination.lifetime(of: message.content.kind, with: message.disappearing))
    try transaction.remember(
      parcel.hash(in: group), in: group, until: time().stored + parcel.lifetime.milliseconds,
      lasts: message.content.kind == .groupInviteResponse)
    if case .reaction(let reaction) = message.content {
      try transaction.keep(parcel.hash(in: group), of: reaction, by: own, in: group)
    }
    try transaction.putEffect(
      name, of: job, isDone: true, result: try JobPayload.encode(SealedParcel(parcel)))
    return parcel
  }

  /// Ends the wait for a key; the waiting time does not count against sending.
  private func stopWaiting(_ id: JobRecord.ID, in transaction: borrowing WriteTransaction) throws {
    guard var job = try transaction.job(id), job.deadline != nil else { return }
    (job.deadline, job.failure) = (nil, nil)
    try transaction.update(job)
  }
}

extension Reading where Self: ~Copyable {
  /// The parcels that attempts of a delivery may have stored, one for each key that sealed its message.
  func sealedParcels(of job: JobRecord.ID) throws -> [SwarmParcel] {
    try effects(of: job).filter { $0.name.hasPrefix(UnsealedMessage.sealedPrefix) }.compactMap(\.result).map {
      try JobPayload.decode(SealedParcel.self, from: $0).parcel()
    }
  }
}

extension WriteTransaction {
  /// Requests the delivery of a message without a row to a group. It does not overtake the messages before it.
  func requestNotice(
    _ message: Message, sentAt: Int64, to group: SessionID, in thread: ThreadRecord.ID, at now: Int64
  ) throws {
    let unsealed = try UnsealedMessage(message, in: .group(group), sentAt: sentAt)
    try request(
      Delivery(swarm: group, parcels: [], role: .notice, keepsOrder: true, unsealed: unsealed), in: thread,
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
