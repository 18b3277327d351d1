import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// Pushes changed configs to the swarm of an account and deletes obsolete messages there.
struct ConfigSync: JobKind {
  static let kind = "configSync"
  /// Four for groups and two for the account, which never waits for groups.
  static let queue = JobQueue("configs", concurrency: 6)
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.network, .accountActive]
  /// How long edits are collected before the first run, in milliseconds.
  static let gathering: Int64 = 100
  /// The delay between a merge and the search for obsolete messages, when there is nothing to push.
  static let tidying: Int64 = 10_000
  /// How long requests that go before the configs are repeated, in milliseconds.
  static let longestRepetition: Int64 = 24 * 3_600_000
  /// How long swarms keep configs.
  static let lifetimeInSwarm = Duration.seconds(30 * 24 * 3600)

  let owner: SessionID

  var uniqueKey: String? { owner.address }
  var partition: String? { Self.partition(of: owner) }

  /// Groups share four partitions; the last byte of its id selects the partition of a group.
  static func partition(of owner: SessionID) -> String? {
    guard owner.kind == .group else { return nil }
    return "configs:\((owner.bytes.last ?? 0) % 4)"
  }
}

extension ConfigAuthor {
  /// Requests a push of an owner's changed configs: soon, but not too often.
  func requestSync(
    of owner: SessionID, after delay: Int64 = ConfigSync.gathering, in transaction: borrowing WriteTransaction
  ) throws {
    let now = jobTime
    let time = max(now + delay, syncPaces.withLock { $0[owner, default: SyncPace()].earliest(at: now) })
    try transaction.enqueue(ConfigSync(owner: owner), .at(time), at: now)
  }

  func makeConfigSync() -> JobHandler {
    JobHandler(ConfigSync.self) { [self] sync, context in
      guard try await queue.run({ [self] in try knowsConfigs(of: sync.owner) }) else {
        try await context.write { transaction in
          try transaction.add(.event(Self.configsReadEvent), to: context.id)
        }
        throw JobDeferral(for: .zero)
      }
      // A push repeated after a crash has the same bytes, which a swarm stores once.
      guard let work = try await queue.run({ [self] in try beginSync(of: sync.owner) }) else {
        return .done
      }
      for withheld in work.batch.withheld {
        environment.log(
          .error, .configs, "withheld", .code(withheld.name.kind, "config"), .error(withheld.error))
      }
      guard !work.isEmpty else { return .done }
      syncPaces.withLock { $0[sync.owner, default: SyncPace()].note(jobTime) }
      let results = try await droppingOverdue(of: sync.owner) {
        try await environment.swarms.perform(work.sequence, in: sync.owner, as: work.signer)
      }
      let deletion =
        results.allSatisfy(\.isDone) ? await delete(work.batch.obsolete, as: work.signer) : Deletion()
      // One node may lie: ask another one before giving up.
      let refusal = work.refusal(in: results)
      let isGivenUp =
        if let refusal {
          try await context.wasRefusedBefore("step:\(refusal.batch.rawValue)", by: refusal.failure.node)
        } else {
          false
        }
      let outcome = work.outcome(of: results)
      try await queue.run { [self] in
        try endSync(work, outcome, deletion, refusal: isGivenUp ? refusal : nil)
      }
      if let refusal {
        guard isGivenUp else { throw JobFailure(.retry(), refusal.failure.message) }
      } else {
        try await droppingOverdue(of: sync.owner) {
          try results.check()
          guard outcome.steps.count == work.steps.count else {
            throw JobFailure(.retry(), "less than half of the swarm did what was requested")
          }
        }
      }
      return .done
    }
  }

  /// The hashes that a swarm deleted.
  private struct Deletion: Sendable {
    var hashes: [String] = []
    /// Those whose deletion some members have not signed.
    var unsigned: [String] = []
  }

  /// Deletes messages that newer configs have replaced, once the new ones are stored; a node may run steps after one
  /// that failed. Messages that could not be deleted are left for the next run.
  private func delete(_ hashes: [String], as signer: Storage.Signer) async -> Deletion {
    let steps = SwarmStep.deleting(hashes)
    var deletion = Deletion()
    guard !steps.isEmpty,
      let results = try? await environment.swarms.perform(steps, in: signer.account, as: signer)
    else { return deletion }
    for (step, result) in zip(steps, results) {
      guard case .delete(let hashes) = step, result.isDone else { continue }
      deletion.hashes += hashes
      if !result.isDoneByAll { deletion.unsigned += hashes }
    }
    return deletion
  }

  /// Config pushes are retried even after failures that end a message, since no person resends them. Only invalid or
  /// oversized ones are given up.
  private func retryingRefusals<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let failure as NetworkFailure {
      switch failure.kind {
      case .rateLimited, .unauthorized:
        throw JobFailure(.retry(after: .seconds(60)), failure.message)
      default: throw failure
      }
    }
  }

  /// Does the same, and gives up requests that have failed for a day.
  private func droppingOverdue<R>(of owner: SessionID, _ body: () async throws -> R) async throws -> R {
    do { return try await retryingRefusals(body) } catch {
      // The end of the program says nothing about the swarm.
      guard !Task.isCancelled else { throw error }
      try await context.write { [self] transaction, _ in
        let time = jobTime - ConfigSync.longestRepetition
        let overdue = try transaction.swarmSteps(of: owner.address).filter { $0.createdAt <= time }
        for batch in Set(overdue.map(\.batch)).sorted() {
          try giveUp(batch, of: owner, because: "\(error)", transaction)
        }
      }
      throw error
    }
  }

  /// Drops what is left of a batch of requests to a swarm, and fails the jobs that wait for it.
  private func giveUp(
    _ batch: SwarmStepRecord.ID, of owner: SessionID, because reason: String,
    _ transaction: borrowing WriteTransaction
  ) throws {
    environment.log(.error, .configs, "request-given-up", .person(owner, "owner"))
    try transaction.deleteSwarmSteps(ofBatch: batch, of: owner.address)
    try transaction.fail(event: Self.stepEvent(of: batch), because: reason)
  }

  /// True if a push would follow what is in the swarm of an owner. A device first reads each config of the account that
  /// it is to push, which would otherwise overrule its own: that there is none is believed only from several members.
  private func knowsConfigs(of owner: SessionID) throws -> Bool {
    guard owner == own, !hasReadConfigs.withLock({ $0 }) else { return true }
    let namespaces = configs.kindsToPush(in: owner).compactMap(\.namespace)
    guard !namespaces.isEmpty else { return true }
    return try database.read { transaction in
      try namespaces.allSatisfy { namespace in
        try transaction.hasHashes(of: owner.address, namespace: Int(namespace.rawValue))
      }
    }
  }

  /// Returns the work to do, and saves what is recorded nowhere else. Nil for the swarm of a group where we may not
  /// push.
  private func beginSync(of owner: SessionID) throws -> SyncWork? {
    guard let credentials = try credentials(for: owner), credentials.mayPush else { return nil }
    let now = try time()
    let (left, steps) = try database.read { transaction in
      (
        try transaction.obsoleteHashes(of: owner.address), try transaction.swarmSteps(of: owner.address)
      )
    }
    let batch = configs.pendingPushes(in: owner, at: now) ?? ConfigBatch(nothingIn: owner)
    let dumps = try configs.dumps(at: now)
    if !dumps.isEmpty || !batch.obsolete.isEmpty {
      try database.write { transaction in
        try keep(dumps, in: transaction)
        try transaction.addObsoleteHashes(batch.obsolete, of: owner.address)
      }
    }
    let active = Set(try configs.activeHashes(in: owner, at: now))
    return SyncWork(
      signer: credentials.signer, steps: steps,
      batch: batch.adding(obsolete: left.filter { !active.contains($0) }))
  }

  private func endSync(
    _ work: SyncWork, _ outcome: SyncWork.Outcome, _ deletion: Deletion, refusal: SyncWork.Refusal?
  ) throws {
    let (now, owner) = (try time(), work.batch.owner)
    for push in outcome.stored {
      try configs.confirm(push, hashes: push.messages.map { push.hash(of: $0) })
    }
    configs.confirmDeletion(of: deletion.hashes, in: owner)
    let dumps = try configs.dumps(at: now)
    let times = Dictionary(outcome.stored.map { ($0.name, now.stored) }) { first, _ in first }
    let isInStep = isInStep(owner, after: outcome.stored)
    let unconfirmed = try holders(of: outcome.unconfirmed, in: owner)
    try database.write { transaction in
      try keep(dumps, storedAt: times, in: transaction)
      try transaction.removeObsoleteHashes(deletion.hashes, of: owner.address)
      try transaction.invalidate(deletion.hashes, of: owner.address)
      try transaction.repeatDeletion(of: deletion.unsigned, from: owner, context)
      for batch in try transaction.deleteSwarmSteps(outcome.steps) {
        try transaction.fulfil(event: Self.stepEvent(of: batch))
      }
      if let refusal {
        try giveUp(refusal.batch, of: owner, because: refusal.failure.message, transaction)
        // Run the remaining steps without the refused one.
        try requestSync(of: owner, in: transaction)
      }
      try repeatAccess(unconfirmed, in: owner, transaction)
      if isInStep { try transaction.fulfil(event: Self.syncEvent(of: owner)) }
    }
    if outcome.stored.contains(where: { $0.name.kind == .groupKeys }) { tell(.keysStored(of: owner)) }
  }

  /// The owners in whose swarms an earlier run of the program left work.
  func ownersBehind() throws -> [SessionID] {
    let owners = configs.read { configs in
      [own] + configs.openGroups.filter { !configs.unlisted.contains($0) }
    }
    let unpushed = owners.filter { configs.needsPush(in: $0) }
    return try database.read { transaction in
      try owners.filter { owner in
        try unpushed.contains(owner) || !transaction.obsoleteHashes(of: owner.address).isEmpty
          || !transaction.swarmSteps(of: owner.address).isEmpty
      }
    }
  }

  /// True if all edits are stored. A key counts as stored with its message, although it is used only after that
  /// message was retrieved.
  func isInStep(_ owner: SessionID, after stored: [ConfigPush] = []) -> Bool {
    let keys = stored.filter { $0.name.kind == .groupKeys }.flatMap(\.messages)
    return configs.isStored(owner, besides: keys)
  }
}

extension JobContext {
  /// Records that a node refused a request. True if another node refused it in an earlier attempt: one node alone may
  /// lie. Refusals by unknown nodes count as those of different ones.
  func wasRefusedBefore(_ what: String, by node: [UInt8]?) async throws -> Bool {
    let name = "refused:\(what)"
    return try await write { [id] transaction in
      guard let known = try transaction.effect(name, of: id) else {
        try transaction.putEffect(name, of: id, isDone: true, result: node)
        return false
      }
      return node == nil || known.result != node
    }
  }
}
