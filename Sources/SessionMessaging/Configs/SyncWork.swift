import SessionCore
import SessionNetworking
import SessionStorage

/// The work of one sync run in a swarm: the steps that go before the configs, then the configs.
struct SyncWork: Sendable {
  /// The completed part of the work.
  struct Outcome: Sendable {
    let steps: [SwarmStepRecord]
    /// The tokens whose access changed in only a part of the swarm.
    let unconfirmed: [[UInt8]]
    /// The pushes whose messages are all in the swarm.
    let stored: [ConfigPush]
  }

  /// A step that a node refused for good, and the batch it belongs to.
  struct Refusal: Sendable {
    let batch: SwarmStepRecord.ID
    let failure: NetworkFailure
  }

  let signer: Storage.Signer
  let steps: [SwarmStepRecord]
  let batch: ConfigBatch

  var isEmpty: Bool { steps.isEmpty && batch.isEmpty }

  /// One sequence, so that no config is stored after a step that failed.
  var sequence: [SwarmStep] {
    steps.map { SwarmStep($0.request) }
      + batch.pushes.flatMap { push in
        push.messages.map { .store(SwarmItem($0, in: push.namespace, for: ConfigSync.lifetimeInSwarm)) }
      }
  }

  /// Returns the completed part, given the results of the sequence in order.
  func outcome(of results: [SwarmStepResult]) -> Outcome {
    let done = zip(steps, results).filter { step, result in step.isDone(by: result) }.map(\.0)
    var rest = results.dropFirst(steps.count)
    let stored = batch.pushes.filter { push in
      let own = rest.prefix(push.messages.count)
      rest = rest.dropFirst(push.messages.count)
      return own.count == push.messages.count && own.allSatisfy(\.isDone)
    }
    let unconfirmed = zip(steps, results).filter { step, result in
      step.isDone(by: result) && !result.isDoneByAll
    }
    .flatMap { step, _ in SwarmStep(step.request).tokens }
    return Outcome(steps: done, unconfirmed: unconfirmed, stored: stored)
  }

  /// Returns the step that a node refused for good.
  func refusal(in results: [SwarmStepResult]) -> Refusal? {
    for (step, result) in zip(steps, results) {
      guard case .failed(let failure) = result, [.rejected, .tooLarge].contains(failure.kind) else {
        continue
      }
      return Refusal(batch: step.batch, failure: failure)
    }
    return nil
  }
}

extension ConfigPush {
  /// The hash under which the swarm stores one of its messages.
  func hash(of message: [UInt8]) -> String {
    SwarmItem(message, in: namespace, for: ConfigSync.lifetimeInSwarm).hash(in: name.owner)
  }
}

extension SwarmStep {
  init(_ request: SwarmStepRecord.Request) {
    let tokens = stride(from: 0, to: request.payload.count, by: SwarmStepRecord.tokenBytes).map { start in
      Array(request.payload[start..<min(start + SwarmStepRecord.tokenBytes, request.payload.count)])
    }
    self =
      switch request.kind {
      case .unrevoke: .unrevoke(tokens)
      case .revoke: .revoke(tokens)
      case .delete:
        .delete(String(decoding: request.payload, as: UTF8.self).split(separator: "\n").map(String.init))
      case .store:
        .store(
          SwarmItem(
            request.payload, in: StorageNamespace(rawValue: Int16(clamping: request.namespace ?? 0)),
            for: .milliseconds(request.lifetime ?? 0)))
      }
  }
}

extension SwarmStep {
  /// The access that the step grants or revokes.
  fileprivate var tokens: [[UInt8]] {
    switch self {
    case .unrevoke(let tokens), .revoke(let tokens): tokens
    case .store, .delete, .deleteAll: []
    }
  }
}

extension SwarmStepRecord {
  fileprivate static let tokenBytes = 36

  /// Access counts as granted or revoked once half of the swarm has confirmed it.
  fileprivate func isDone(by result: SwarmStepResult) -> Bool {
    guard case .done(let members, let all, _) = result else { return false }
    switch request.kind {
    case .unrevoke, .revoke: return members * 2 >= all
    case .store, .delete: return true
    }
  }
}
