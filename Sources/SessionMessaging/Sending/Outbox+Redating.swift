import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// A message may be written before the network's time is known, with a clock that is days off. It gets a new date
// before it is sent; otherwise everyone would see it in the wrong place forever.

extension Outbox {
  /// Returns the delivery with its message dated by the network's time, sealed again if that changed. After that the
  /// sealed bytes stay the same: a swarm stores them once, however often they are sent.
  func redated(_ delivery: Delivery, _ context: JobContext) async throws -> Delivery {
    guard delivery.isTimeUncertain == true, let id = delivery.interactionID else { return delivery }
    await self.context.learnTime(isUrgent: true)
    let profile = try await queue.run { [self] in
      try author.configs.read { configs in try configs.ownProfile() }
    }
    return try await context.write { [self] transaction in
      guard let row = try transaction.interaction(id), let thread = try transaction.thread(row.threadID),
        let destination = thread.destination(own: own), var job = try transaction.job(context.id)
      else { return delivery }
      let dated = try redated(row, in: transaction)
      var sealed = delivery
      if dated.sentAt != row.sentAt {
        sealed = try makeDelivery(
          late: dated, to: destination, as: profile, answersRequest: delivery.items.count > 1,
          shownAt: delivery.identityShownAt, requiring: delivery.requiredLevel, in: transaction)
        sealed.isResent = delivery.isResent
      }
      sealed.isTimeUncertain = nil
      (job.payload, job.version) = (try sealed.encoded(), Delivery.version)
      try transaction.update(job)
      return sealed
    }
  }

  /// Returns the message with its date shifted by the error of this machine's clock.
  func redated(
    _ row: InteractionRecord, in transaction: borrowing WriteTransaction
  ) throws -> InteractionRecord {
    guard let now = environment.swarms.time, let thread = try transaction.thread(row.threadID) else {
      return row
    }
    let error = now.stored - jobTime
    // The clock may have been corrected since the message was written.
    guard abs(error) > AccountContext.clockError || row.sentAt > now.stored + AccountContext.clockError else {
      return row
    }
    let time = try MessageTime(milliseconds: UInt64(clamping: min(row.sentAt + error, now.stored)))
    var dated = row
    dated.sentAt = try transaction.freeTime(in: thread, by: own, from: time, except: row.id)
    dated.receivedAt = dated.sentAt
    try transaction.update(dated)
    try transaction.moveQuotes(of: row, to: dated)
    try transaction.tell(.messageChanged, dated, at: now)
    return dated
  }
}
