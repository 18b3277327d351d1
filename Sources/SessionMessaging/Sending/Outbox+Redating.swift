import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// A message may be written before the network's time is known, by a clock that is days wrong. It is dated anew before it
// leaves: everybody would see it in the wrong place for ever.

extension Outbox {
  /// A delivery whose message is dated by the network's time, made anew if that changes it. From then on sealed bytes
  /// stay the same: a swarm keeps them once, however often they are stored.
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
        let answersRequest = delivery.parcels.count > 1
        sealed = try makeDelivery(
          of: dated, to: destination, as: profile, answersRequest: answersRequest, in: transaction)
      }
      sealed.isTimeUncertain = nil
      (job.payload, job.version) = (try sealed.encoded(), Delivery.version)
      try transaction.update(job)
      return sealed
    }
  }

  /// A message moved by as much as this machine's clock is off.
  func redated(
    _ row: InteractionRecord, in transaction: borrowing WriteTransaction
  ) throws -> InteractionRecord {
    guard let now = environment.swarms.time, let thread = try transaction.thread(row.threadID) else {
      return row
    }
    let error = now.stored - jobTime
    // The clock may have been set right since the message was written.
    guard abs(error) > AccountContext.clockError || row.sentAt > now.stored + AccountContext.clockError else {
      return row
    }
    let time = try MessageTime(milliseconds: UInt64(clamping: min(row.sentAt + error, now.stored)))
    var dated = row
    dated.sentAt = try transaction.freeTime(in: thread, by: own, from: time, except: row.id)
    dated.receivedAt = dated.sentAt
    try transaction.update(dated)
    try transaction.moveQuotes(of: row, to: dated.sentAt)
    try transaction.tell(.messageChanged, dated, at: now)
    return dated
  }
}
