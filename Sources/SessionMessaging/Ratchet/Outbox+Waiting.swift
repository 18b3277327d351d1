import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// Messages that wait for keys of their recipient's devices.

extension Reading where Self: ~Copyable {
  /// Of these messages, those that are to go to a person and wait for keys of their devices.
  func waitingForKeys(among messages: [InteractionRecord]) throws -> Set<InteractionRecord.ID> {
    // The level is known once they are sealed.
    let unsealed = messages.filter { $0.kind == .outgoing && $0.state == .sending && $0.level == 0 }
    guard !unsealed.isEmpty else { return [] }
    let payloads = try payloads(
      of: RowList(unsealed.map(\.id)), in: (Delivery.kind, AttachmentSending.kind),
      effect: AttachmentSending.sealing)
    return Set(
      payloads.compactMap { message, payload in
        guard let delivery = try? JobPayload.decode(Delivery.self, from: payload),
          case .person(let person)? = delivery.unsealed?.conversation, !person.isBlinded
        else { return nil }
        return message
      })
  }
}

extension Outbox {
  /// The name of the job effect that keeps the sealed message, so that each attempt stores the same bytes.
  private static let sealing = "sealed:devices"
  /// How often keys are looked for before a message goes without them, where nothing speaks against that.
  private static let fetchAttempts = 3
  /// How long a message waits where something does, and the interval at which keys are looked for, in milliseconds.
  private static let longestWait: Int64 = 14 * 24 * 3_600_000
  private static let retryInterval = Duration.seconds(60)

  /// Fetches the keys of a person, seals a message for them and stores it.
  func deliver(
    whenKeysAreThere unsealed: UnsealedMessage, of delivery: Delivery, _ context: JobContext
  ) async throws -> JobResult {
    let sealed = try await database.read { transaction in
      try transaction.effect(Self.sealing, of: context.id)?.result
    }
    if let sealed { return try await deliver(try JobPayload.decode(Delivery.self, from: sealed), context) }
    let person = delivery.swarm
    guard jobTime - unsealed.sentAt < Self.longestWait else {
      throw JobFailure(.permanent, "no keys of this person's devices could be fetched")
    }
    var found: (bundles: [PublishedBundle], isComplete: Bool)?
    do { found = try await ratchet.fetch(person) } catch let failure as NetworkFailure {
      guard context.failures + 1 >= Self.fetchAttempts else { throw failure }
    }
    let now = try time()
    // By itself: a message that is refused because of what was found takes nothing of that back.
    try await context.write { [self, found] transaction in
      if let found {
        try ratchet.take(
          found.bundles, of: person, isComplete: found.isComplete, at: now, in: transaction)
      } else {
        try ratchet.giveUpWaiting(for: person, in: transaction)
      }
    }
    let result = try await context.write { [self] transaction -> Delivery? in
      guard let sealed = try seal(unsealed, of: delivery, in: transaction) else { return nil }
      try transaction.putEffect(
        Self.sealing, of: context.id, isDone: true, result: try JobPayload.encode(sealed))
      return sealed
    }
    guard let result else { throw JobDeferral(for: Self.retryInterval) }
    return try await deliver(result, context)
  }

  /// Seals a message that waited. Nil if it has to go on waiting. Throws if it cannot be sent.
  private func seal(
    _ unsealed: UnsealedMessage, of delivery: Delivery, in transaction: borrowing WriteTransaction
  ) throws -> Delivery? {
    let person = delivery.swarm
    if delivery.role == .message || delivery.isDeliberate == true {
      try ratchet.checkWaiting(
        for: person, shownAt: delivery.identityShownAt, requiring: delivery.requiredLevel, in: transaction)
    }
    return try endingIfRefused {
      guard let sealed = try seal(unsealed.message(), for: person, in: transaction) else { return nil }
      if delivery.role == .message, let id = delivery.interactionID, let row = try transaction.interaction(id)
      {
        let first = try unsealed.firstMessage().flatMap { first in
          try seal(first, for: person, in: transaction)
        }
        var result = try self.delivery(
          of: sealed, row, to: person, isTimeUncertain: nil, before: first, in: transaction)
        result.isResent = delivery.isResent
        result.identityShownAt = delivery.identityShownAt
        result.requiredLevel = delivery.requiredLevel
        return result
      }
      let sentAt = try MessageTime(milliseconds: UInt64(clamping: unsealed.sentAt))
      try requestCopy(
        of: sealed, sentAt: sentAt, in: transaction.thread(at: person.address)?.id, transaction)
      if let about = delivery.about {
        try noteSent(sealed, to: person, about: InteractionRecord.ID(rawValue: about), in: transaction)
      }
      var result = Delivery(
        swarm: person, items: [SealedItem(sealed.item)], role: .notice, keepsOrder: delivery.keepsOrder)
      result.notAfter = sealed.notAfter
      return result
    }
  }

  /// Creates the delivery of a message in its job, some time after it was written: nothing then goes with less than its
  /// sender was shown, and a refusal fails the message.
  func makeDelivery(
    late row: InteractionRecord, to destination: Destination, as profile: MessageProfile?,
    answersRequest: Bool, shownAt: Int64?, requiring level: SecurityLevel?,
    in transaction: borrowing WriteTransaction
  ) throws -> Delivery {
    if case .person(let person) = destination.place {
      try ratchet.checkWaiting(for: person, shownAt: shownAt, requiring: level, in: transaction)
    }
    var delivery = try endingIfRefused {
      try makeDelivery(
        of: row, to: destination, as: profile, answersRequest: answersRequest, in: transaction)
    }
    delivery.isTimeUncertain = nil
    delivery.identityShownAt = shownAt
    delivery.requiredLevel = level
    return delivery
  }

  /// Does a step of a job. What is refused once would be refused again: it ends the job, so that what waits behind it goes
  /// on.
  private func endingIfRefused<Value>(_ step: () throws -> Value) throws -> Value {
    do { return try step() } catch let error as MessengerError {
      throw JobFailure(.permanent, error.message)
    }
  }

  /// Seals a message again whose bytes were not stored in time, and stores it. The content and its time are those of the
  /// row, so that a device which has it drops the second.
  func deliver(sealedAnew delivery: Delivery, _ context: JobContext) async throws -> JobResult {
    guard delivery.role == .message, let id = delivery.interactionID else {
      throw JobFailure(.permanent, "the keys that it was sealed with are too old")
    }
    let profile = try await queue.run { [self] in
      try author.configs.read { configs in try configs.ownProfile() }
    }
    let name = "\(Self.sealing):\(delivery.notAfter ?? 0)"
    let sealed = try await context.write { [self] transaction -> Delivery in
      if let known = try transaction.effect(name, of: context.id)?.result {
        return try JobPayload.decode(Delivery.self, from: known)
      }
      guard let row = try transaction.interaction(id), let thread = try transaction.thread(row.threadID),
        let destination = thread.destination(own: own)
      else { throw JobFailure(.permanent, "its message was deleted") }
      var sealed = try makeDelivery(
        late: row, to: destination, as: profile, answersRequest: delivery.items.count > 1,
        shownAt: delivery.identityShownAt, requiring: delivery.requiredLevel, in: transaction)
      sealed.isResent = delivery.isResent
      try transaction.putEffect(name, of: context.id, isDone: true, result: try JobPayload.encode(sealed))
      return sealed
    }
    return try await deliver(sealed, context)
  }
}
