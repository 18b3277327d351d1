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

/// Shortens the lifetime of messages in our own swarm to match this device, counted from when they were read. Repeats it for
/// members of the swarm that have not signed it, and deletes the messages there once their time is over.
struct ExpiryShortening: JobKind {
  static let kind = "expiryShortening"
  /// Apart from ``DisappearingSweep``, so that requests to slow nodes do not delay the deletion of messages here.
  static let queue = JobQueue("expiryShortening", concurrency: 2)
  static let conditions: JobConditions = [.network, .accountActive]
  static let timesAreDelays = true
  static let closesWhenFull = true

  let hashes: [String]
  /// Milliseconds since 1970.
  let expiry: Int64
  /// When it was first requested, if only some members have signed it.
  var unsignedSince: Int64?

  /// Small repetitions for messages that expire within a minute are one job.
  var uniqueKey: String? {
    guard unsignedSince != nil, hashes.count <= UnsignedChange.maxMerged else { return nil }
    return "\(expiry / 60_000)"
  }

  /// Members that signed the earlier time keep it; the others have the messages less than a minute longer.
  func merged(with later: ExpiryShortening) -> ExpiryShortening {
    ExpiryShortening(
      hashes: Set(hashes).union(later.hashes).sorted(), expiry: max(expiry, later.expiry),
      unsignedSince: later.unsignedSince)
  }
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
    JobHandler(ExpiryShortening.self) { shortening, job in
      let expiry = try MessageTime(milliseconds: UInt64(clamping: shortening.expiry))
      guard let start = shortening.unsignedSince else {
        let shortened = try await shortening.perform(context)
        return .done { transaction in
          try transaction.take(shortened.expiries, insteadOf: expiry, context)
          if !shortened.isSignedByAll { try transaction.repeatShortening(shortening, context) }
        }
      }
      // Members that have not signed would keep them after their time.
      guard try expiry > context.time() else {
        return .done { transaction in
          let now = context.jobTime
          let deletion = SwarmDeletion(
            hashes: shortening.hashes, owner: context.own, unsignedSince: now)
          try transaction.enqueue(deletion, at: now)
        }
      }
      let shortened = try? await shortening.perform(context)
      try job.check()
      let writing: JobResult.Writing = { transaction in
        try transaction.take(shortened?.expiries ?? [:], insteadOf: expiry, context)
      }
      guard shortened?.isSignedByAll != true,
        let time = try shortening.nextAttempt(ofChangeAt: start, context)
      else { return .done(writing: writing) }
      guard start > context.jobTime else { return .again(at: time, writing: writing) }
      // The clock was set back: the day begins again.
      return .done { transaction in
        try writing(transaction)
        try transaction.repeatShortening(shortening, context)
      }
    }
  }

  /// Returns the time of the next attempt of a change that was first requested at `start`: when the messages expire at the
  /// latest, to delete them. Nil if it is not repeated any more.
  fileprivate func nextAttempt(ofChangeAt start: Int64, _ context: AccountContext) throws -> Int64? {
    let rest = max(0, expiry - (try context.time()).stored)
    let end = context.jobTime.saturatingAdd(rest)
    return context.nextAttempt(ofChangeAt: start).map { min($0, end) }
  }

  private func perform(_ context: AccountContext) async throws(NetworkFailure) -> ShortenedExpiries {
    guard let expiry = try? MessageTime(milliseconds: UInt64(clamping: expiry)) else {
      throw NetworkFailure(.rejected, "there is no such time")
    }
    var expiries: [String: MessageTime] = [:]
    var isSignedByAll = true
    for start in stride(from: 0, to: hashes.count, by: SwarmPoll.maxExtended) {
      let part = Array(hashes[start..<min(start + SwarmPoll.maxExtended, hashes.count)])
      let shortened = try await context.environment.swarms.shorten(
        part, to: expiry, as: .account(context.account))
      expiries.merge(shortened.expiries) { first, _ in first }
      isSignedByAll = isSignedByAll && shortened.isSignedByAll
    }
    return ShortenedExpiries(expiries, isSignedByAll: isSignedByAll)
  }
}

extension WriteTransaction {
  /// Records when messages expire in our own swarm. If another device read one first, its timer started then.
  fileprivate func take(
    _ expiries: [String: MessageTime], insteadOf wanted: MessageTime, _ context: AccountContext
  ) throws {
    let now = try context.time()
    for (hash, expiry) in expiries {
      try shorten([hash], of: context.own.address, to: expiry.stored)
      guard expiry < wanted, var message = try interaction(inOwnSwarm: hash) else { continue }
      message.expiryStartedAt = expiry.stored - message.expiry.seconds * 1000
      try update(message)
      try requestSweep(for: message, at: now, context)
    }
  }

  /// Has a shorter lifetime requested again that only some members have signed.
  fileprivate func repeatShortening(_ shortening: ExpiryShortening, _ context: AccountContext) throws {
    let now = context.jobTime
    guard let time = try shortening.nextAttempt(ofChangeAt: now, context) else { return }
    var again = shortening
    again.unsignedSince = now
    try enqueue(again, .at(time), at: now)
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
