import SessionCore
import SessionNetworking

/// The namespaces to poll in the swarm of an owner, and the order in which to process them.
struct InboxPlan: Hashable, Sendable {
  /// The account, or a group that it is in.
  let owner: SessionID
  let isGroup: Bool

  init(of owner: SessionID) {
    self.owner = owner
    isGroup = owner.kind == .group
  }

  /// The configs stored in the swarm, in the order in which they depend on each other.
  var configs: [ConfigKind] { ConfigKind.kept(of: owner) }

  var messages: StorageNamespace { isGroup ? .groupMessages : .messages }

  /// The namespaces to poll, in the order in which they are processed.
  var namespaces: [StorageNamespace] {
    configs.compactMap(\.namespace) + (isGroup ? [.groupRemovals] : []) + [messages]
  }

  /// The number of messages of each config of a group that are read in one poll: any member can store them.
  static let mostConfigs = 200

  /// Returns the part of a reply to read now, and true if a part is left for the next poll. Messages of a group are read
  /// only with its members: notes count if an admin wrote them.
  func bounded(_ reply: SwarmReply) -> (reply: SwarmReply, isUnfinished: Bool) {
    var pages = reply.pages
    var isUnfinished = false
    for namespace in isGroup ? configs.compactMap(\.namespace) : [] {
      guard case .success(let page)? = pages[namespace], page.messages.count > Self.mostConfigs else {
        continue
      }
      pages[namespace] = .success(
        SwarmReply.Page(Array(page.messages.prefix(Self.mostConfigs)), hasMore: true))
      isUnfinished = true
    }
    if isGroup, case .failure? = pages[.groupMembers], case .success? = pages[messages] {
      pages[messages] = .failure(NetworkFailure(.transient, "a node gave messages without the members"))
    }
    return (SwarmReply(node: reply.node, pages, extended: reply.extended), isUnfinished)
  }

  /// The reason why a reply counts as a failed poll. A group may refuse some namespaces and answer for others; no
  /// other node would answer differently.
  func failure(of reply: SwarmReply) -> NetworkFailure? {
    guard isGroup else { return reply.failure }
    let results = reply.pages.values
    let failures = results.compactMap { result -> NetworkFailure? in
      if case .failure(let failure) = result { failure } else { nil }
    }
    if failures.count < results.count, failures.allSatisfy({ $0.kind == .unauthorized }) { return nil }
    return reply.failure
  }
}

extension ConfigKind {
  /// The configs stored in the swarm of an owner, in the order in which they depend on each other.
  static func kept(of owner: SessionID) -> [ConfigKind] { owner.kind == .group ? ofGroup : ofAccount }
}
