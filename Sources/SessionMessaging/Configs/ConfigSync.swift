import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// Pushes changed configs to the swarm of an account and deletes obsolete messages there.
struct ConfigSync: JobKind {
  static let kind = "configSync"
  static let queue = JobQueue("configs", concurrency: 4)
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.network, .accountActive]
  /// How long edits are gathered before the first run.
  static let gathering: Int64 = 100
  /// The delay between a merge and the search for obsolete messages, when there is nothing to push.
  static let tidying: Int64 = 10_000
  /// How long swarms keep configs.
  static let lifetimeInSwarm = Duration.seconds(30 * 24 * 3600)

  let owner: SessionID

  var uniqueKey: String? { owner.address }
}

extension ConfigAuthor {
  /// Has what is new in the configs of an account stored: soon, but not too often.
  func requestSync(
    of owner: SessionID, after rest: Int64 = ConfigSync.gathering, in transaction: borrowing WriteTransaction
  ) throws {
    let now = jobTime
    let time = max(now + rest, syncPace.withLock { $0.earliest(at: now) })
    try transaction.enqueue(ConfigSync(owner: owner), .at(time), at: now)
  }

  func makeConfigSync() -> JobHandler {
    JobHandler(ConfigSync.self) { [self] sync, context in
      syncPace.withLock { $0.note(jobTime) }
      // What is pushed again after a crash is the same bytes, which a swarm keeps once.
      let batch = try await queue.run { [self] in try beginSync(of: sync.owner) }
      for withheld in batch.withheld {
        environment.log("\(withheld.name.kind) cannot be stored: \(withheld.error)")
      }
      guard !batch.isEmpty else { return .done }
      let parcels = batch.pushes.flatMap { push in
        push.messages.map { SwarmParcel($0, in: push.namespace, for: ConfigSync.lifetimeInSwarm) }
      }
      let results = try await patiently {
        try await environment.swarms.perform(parcels.map(SwarmStep.store), in: sync.owner, as: signer)
      }
      let stored = batch.confirmable(by: results)
      let deleted = results.allSatisfy(\.isDone) ? await delete(batch.obsolete, of: sync.owner) : []
      try await queue.run { [self] in try endSync(of: sync.owner, stored, deleted: deleted) }
      try await patiently { try results.check() }
      return .done
    }
  }

  /// Deletes what newer configs have replaced, once those are stored; a node may do steps behind one that failed. What
  /// could not be deleted is left for the next time. Returns what was.
  private func delete(_ hashes: [String], of owner: SessionID) async -> [String] {
    let steps = SwarmStep.deleting(hashes)
    guard !steps.isEmpty,
      let results = try? await environment.swarms.perform(steps, in: owner, as: signer)
    else { return [] }
    return zip(steps, results).flatMap { step, result -> [String] in
      guard case .delete(let hashes) = step, result.isDone else { return [] }
      return hashes
    }
  }

  /// Configs are retried after a while even where a message is not, since no person resends them. Only invalid or too large
  /// ones are given up.
  private func patiently<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let failure as NetworkFailure {
      switch failure.kind {
      case .rateLimited, .unauthorized:
        throw JobFailure(.retry(after: .seconds(60)), failure.message)
      default: throw failure
      }
    }
  }

  /// What is to be done, which is written down as far as nothing else remembers it.
  private func beginSync(of owner: SessionID) throws -> ConfigBatch {
    let now = try time()
    let left = try database.read { transaction in try transaction.obsoleteHashes(of: owner.address) }
    let batch = configs.pendingPushes(in: owner, at: now) ?? ConfigBatch(nothingIn: owner)
    let dumps = try configs.dumps(at: now)
    if !dumps.isEmpty || !batch.obsolete.isEmpty {
      try database.write { transaction in
        try keep(dumps, in: transaction)
        try transaction.addObsoleteHashes(batch.obsolete, of: owner.address)
      }
    }
    let active = Set(try configs.activeHashes(in: owner, at: now))
    return batch.adding(obsolete: left.filter { !active.contains($0) })
  }

  private func endSync(of owner: SessionID, _ stored: [ConfigPush], deleted: [String]) throws {
    let now = try time()
    for push in stored {
      try configs.confirm(push, hashes: push.messages.map { push.hash(of: $0) })
    }
    configs.confirmDeletion(of: deleted, in: owner)
    let dumps = try configs.dumps(at: now)
    let times = Dictionary(stored.map { ($0.name, now.stored) }) { first, _ in first }
    try database.write { transaction in
      try keep(dumps, storedAt: times, in: transaction)
      try transaction.removeObsoleteHashes(deleted, of: owner.address)
      try transaction.invalidate(deleted, of: owner.address)
    }
  }
}

extension ConfigPush {
  /// The name that the swarm has for one of its messages.
  fileprivate func hash(of message: [UInt8]) -> String {
    SwarmParcel(message, in: namespace, for: ConfigSync.lifetimeInSwarm).hash(in: name.owner)
  }
}

extension ConfigBatch {
  /// The pushes of which the swarm has every message, where there is a result for each message in their order.
  fileprivate func confirmable(by results: [SwarmStepResult]) -> [ConfigPush] {
    var rest = results[...]
    return pushes.filter { push in
      let own = rest.prefix(push.messages.count)
      rest = rest.dropFirst(push.messages.count)
      return own.count == push.messages.count && own.allSatisfy(\.isDone)
    }
  }
}
