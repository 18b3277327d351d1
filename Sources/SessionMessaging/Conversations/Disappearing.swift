import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Deletes expired messages, and waits for the next one to expire.
struct DisappearingSweep: JobKind {
  static let kind = "disappearingSweep"
  static let queue = JobQueue("expiry", concurrency: 2)
  static let retry = RetryPolicy.unlimited
  static let timesAreDelays = true
  /// The number of messages deleted in one transaction.
  static let pieceSize = 200

  var uniqueKey: String? { "" }
}

/// Shortens the lifetime of messages in our own swarm to match this device, counted from when they were read.
struct ExpiryShortening: JobKind {
  static let kind = "expiryShortening"
  static let queue = DisappearingSweep.queue
  static let conditions: JobConditions = [.network, .accountActive]

  let hashes: [String]
  /// Milliseconds since 1970.
  let expiry: Int64
}

extension DisappearingSweep {
  static func handler(_ context: AccountContext) -> JobHandler {
    JobHandler(DisappearingSweep.self) { _, job in
      var next: Int64?
      repeat {
        next = try await job.write { transaction in
          let now = try context.time()
          let over = try transaction.expiredInteractions(at: now.stored, limit: pieceSize)
          for message in over {
            try transaction.cancelDeliveries(of: message, at: context.jobTime)
            try transaction.delete(message)
            try transaction.tell(.messageDeleted, message, at: now)
          }
          try transaction.requestFileSweep(at: context.jobTime)
          return try transaction.nextInteractionExpiry()
        }
      } while try next.map { $0 <= (try context.time()).stored } ?? false
      guard let next else { return .done }
      return .again(at: context.jobTime + max(0, next - (try context.time()).stored))
    }
  }
}

extension ExpiryShortening {
  static func handler(_ context: AccountContext) -> JobHandler {
    JobHandler(ExpiryShortening.self) { shortening, _ in
      let expiry = try MessageTime(milliseconds: UInt64(clamping: shortening.expiry))
      let kept = try await context.environment.swarms.shorten(
        shortening.hashes, to: expiry, as: .account(context.account))
      // If another device read it first, the timer starts then.
      let earlier = kept.filter { $0.value < expiry }
      guard !kept.isEmpty else { return .done }
      return .done { transaction in
        let now = try context.time()
        for (hash, expiry) in kept {
          try transaction.shorten([hash], of: context.own.address, to: expiry.stored)
        }
        for (hash, expiry) in earlier {
          guard var message = try transaction.interaction(inOwnSwarm: hash) else { continue }
          message.expiryStartedAt = expiry.stored - message.expiry.seconds * 1000
          try transaction.update(message)
          try transaction.requestSweep(for: message, at: now, context)
        }
      }
    }
  }
}

extension WriteTransaction {
  /// Schedules the deletion of a message when its timer runs out.
  func requestSweep(for message: InteractionRecord, at now: MessageTime, _ context: AccountContext) throws {
    guard let end = message.disappearsAt else { return }
    let delay = max(0, end - now.stored)
    try enqueue(
      DisappearingSweep(), .at(context.jobTime.saturatingAdd(delay)), at: context.jobTime)
  }

  /// Marks messages sent up to a time as read, and starts the timers that run from reading.
  func markRead(
    in thread: ThreadRecord, upTo time: Int64, at now: MessageTime, _ context: AccountContext
  ) throws {
    let read = try markRead(in: thread.id, upTo: time)
    var started: [Int64: [String]] = [:]
    for var message in read where message.expiry.mode == .afterRead && message.expiry.seconds > 0 {
      guard message.expiryStartedAt == nil else { continue }
      message.expiryStartedAt = now.stored
      try update(message)
      try requestSweep(for: message, at: now, context)
      guard let hash = message.serverHash, let end = message.disappearsAt else { continue }
      started[end, default: []].append(hash)
    }
    for (end, hashes) in started {
      for start in stride(from: 0, to: hashes.count, by: SwarmPoll.maxExtended) {
        let part = Array(hashes[start..<min(start + SwarmPoll.maxExtended, hashes.count)])
        try shorten(part, of: context.own.address, to: end)
        try enqueue(ExpiryShortening(hashes: part, expiry: end), at: context.jobTime)
      }
    }
  }
}

private enum DisappearingStatements {
  /// Groups and rooms keep their messages elsewhere.
  static let threads: SQL = "SELECT id FROM thread WHERE kind = ?"
}

extension Reading where Self: ~Copyable {
  /// The message with this hash in our own swarm.
  fileprivate func interaction(inOwnSwarm hash: String) throws -> InteractionRecord? {
    let threads: [ThreadRecord.ID] = try values(
      DisappearingStatements.threads, ThreadRecord.Kind.contact)
    for thread in threads {
      if let message = try interaction(in: thread, serverHash: hash) { return message }
    }
    return nil
  }
}
