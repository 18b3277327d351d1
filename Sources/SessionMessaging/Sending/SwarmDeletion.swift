import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Deletes messages from our own swarm, or from that of a group that we administer. Repeats it for members of the swarm that
/// have not signed it.
struct SwarmDeletion: JobKind {
  static let kind = "swarmDeletion"
  /// Payloads of version 1 have no owner: the swarm is our own.
  static let version = 2
  static let queue = JobQueue("swarmDeletion", concurrency: 2)
  static let conditions: JobConditions = [.network, .accountActive]
  static let timesAreDelays = true
  static let closesWhenFull = true

  let hashes: [String]
  var owner: SessionID?
  /// When the deletion was first requested, if only some members have signed it.
  var unsignedSince: Int64?

  /// Small repetitions for a swarm that began within an hour are one job.
  var uniqueKey: String? {
    guard let unsignedSince, hashes.count <= UnsignedChange.maxMerged else { return nil }
    return "\(owner?.address ?? "") \(unsignedSince / 3_600_000)"
  }

  func merged(with later: SwarmDeletion) -> SwarmDeletion {
    SwarmDeletion(
      hashes: Set(hashes).union(later.hashes).sorted(), owner: later.owner,
      unsignedSince: later.unsignedSince)
  }
}

extension SwarmDeletion {
  static func handler(_ context: AccountContext, _ author: ConfigAuthor) -> JobHandler {
    JobHandler(SwarmDeletion.self) { deletion, job in
      let owner = deletion.owner ?? context.own
      guard let credentials = try await author.currentCredentials(for: owner), credentials.mayPush else {
        return .done
      }
      guard let start = deletion.unsignedSince else {
        let results = try await context.environment.swarms.perform(
          SwarmStep.deleting(deletion.hashes), in: owner, as: credentials.signer)
        try results.check()
        guard !results.allSatisfy(\.isDoneByAll) else { return .done }
        return .done { transaction in
          try transaction.repeatDeletion(of: deletion.hashes, from: owner, context)
        }
      }
      // The same bytes may have been stored again as a config since.
      let active = try await author.queue.run {
        try author.configs.activeHashes(in: owner, at: context.time())
      }
      let hashes = deletion.hashes.filter { !active.contains($0) }
      guard !hashes.isEmpty else { return .done }
      let results = try? await context.environment.swarms.perform(
        SwarmStep.deleting(hashes), in: owner, as: credentials.signer)
      try job.check()
      if let results, results.allSatisfy(\.isDoneByAll) { return .done }
      guard let time = context.nextAttempt(ofChangeAt: start) else { return .done }
      guard start > context.jobTime else { return .again(at: time) }
      // The clock was set back: the day begins again.
      return .done { transaction in try transaction.repeatDeletion(of: hashes, from: owner, context) }
    }
  }
}

extension WriteTransaction {
  /// Requests the deletion of messages from a swarm.
  func requestDeletion(of hashes: [String], from owner: SessionID, _ context: AccountContext) throws {
    guard !hashes.isEmpty else { return }
    try invalidate(hashes, of: owner.address)
    for piece in pieces(of: hashes) {
      try enqueue(SwarmDeletion(hashes: piece, owner: owner), at: context.jobTime)
    }
  }

  /// Has a deletion repeated that only some members of a swarm have signed.
  func repeatDeletion(of hashes: [String], from owner: SessionID, _ context: AccountContext) throws {
    let now = context.jobTime
    guard let time = context.nextAttempt(ofChangeAt: now) else { return }
    for piece in pieces(of: hashes) {
      try enqueue(SwarmDeletion(hashes: piece, owner: owner, unsignedSince: now), .at(time), at: now)
    }
  }

  private func pieces(of hashes: [String]) -> [[String]] {
    stride(from: 0, to: hashes.count, by: SwarmStep.maxDeletions).map { start in
      Array(hashes[start..<min(start + SwarmStep.maxDeletions, hashes.count)])
    }
  }
}
