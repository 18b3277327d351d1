import SessionCore
import SessionNetworking

/// What is asked of the swarm of an owner, and how what comes is understood.
struct InboxPlan: Hashable, Sendable {
  /// The account, or a group that it is in.
  let owner: SessionID
  let isGroup: Bool

  init(of owner: SessionID) {
    self.owner = owner
    isGroup = owner.kind == .group
  }

  /// The configs that the swarm keeps, in the order in which they depend on each other.
  var configs: [ConfigKind] { ConfigKind.kept(of: owner) }

  var messages: StorageNamespace { isGroup ? .groupMessages : .messages }

  /// The namespaces to poll, in the order in which they are processed.
  var namespaces: [StorageNamespace] { configs.compactMap(\.namespace) + [messages] }

  /// Why an answer counts as a failed poll. That a group refuses some namespaces while it answers for others is what it
  /// has to say, and no other node says anything else.
  func failure(of harvest: SwarmHarvest) -> NetworkFailure? {
    guard isGroup else { return harvest.failure }
    let results = harvest.crops.values
    let failures = results.compactMap { result -> NetworkFailure? in
      if case .failure(let failure) = result { failure } else { nil }
    }
    if failures.count < results.count, failures.allSatisfy({ $0.kind == .unauthorized }) { return nil }
    return harvest.failure
  }
}

extension ConfigKind {
  /// The configs that the swarm of an owner keeps, in the order in which they depend on each other.
  static func kept(of owner: SessionID) -> [ConfigKind] { owner.kind == .group ? ofGroup : ofAccount }
}
