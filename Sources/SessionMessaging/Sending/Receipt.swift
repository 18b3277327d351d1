import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

/// The confirmation of a destination that it stored a message.
enum Receipt: Hashable, Sendable {
  case kept(hash: String, until: MessageTime)
}

extension InteractionRecord {
  /// Marks the message as sent; nothing else does. `isPolled` is true if we poll its destination, so that the message
  /// comes back under the receipt's name.
  mutating func take(_ receipt: Receipt, isPolled: Bool) {
    state = .sent
    failure = nil
    if isPolled, case .kept(let hash, _) = receipt { serverHash = hash }
  }
}

extension Receipt {
  /// The receipt of a stored item. If a node reports no expiry, the requested one applies.
  init(for item: SwarmItem, in swarm: SessionID, _ result: SwarmStepResult, at now: MessageTime) throws {
    let requested = now.stored + item.lifetime.milliseconds
    var until = try MessageTime(milliseconds: UInt64(clamping: requested))
    if case .done(_, _, let told?) = result { until = told }
    self = .kept(hash: item.hash(in: swarm), until: until)
  }
}

extension Outbox {
  /// Records that a delivery was stored at its destination.
  func take(
    _ receipt: Receipt, for delivery: Delivery, in transaction: borrowing WriteTransaction
  ) throws {
    guard delivery.role != .notice, let id = delivery.interactionID,
      var message = try transaction.interaction(id)
    else { return }
    let destination = try Destination(delivery.conversation, own: own)
    let now = try time()
    message.take(receipt, isPolled: destination.isPolled)
    if destination.isPolled, case .kept(let hash, let until) = receipt {
      // A node may say what it likes.
      try transaction.remember(
        hash, in: destination.swarm, until: min(until.stored, now.stored + OwnerInbox.longestMemory))
    }
    if delivery.role == .message {
      if message.expiry.seconds > 0 && message.expiryStartedAt == nil {
        message.expiryStartedAt = message.sentAt
        try transaction.requestSweep(for: message, at: now, context)
      }
      if let copy = delivery.copy {
        message.state = .syncing
        try transaction.requestCopy(of: message, copy, to: own, at: jobTime)
      }
      try transaction.update(message)
      try transaction.tell(.messageSent, message, at: now)
    } else {
      try transaction.update(message)
    }
  }
}
