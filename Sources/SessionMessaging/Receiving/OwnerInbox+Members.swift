import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

// A member of a swarm can hide messages. So the replies of members are compared with each other, and one member alone
// never proves that something does not exist.

extension OwnerInbox {
  /// A member that was never read begins behind the newest message that another gave and that is older than this, in
  /// milliseconds.
  static let overlap: Int64 = 24 * 3_600_000
  /// How old a message must be before a member that does not have it counts as lacking it, in milliseconds.
  static let spreading: Int64 = 600_000
  /// How often one member is read from the beginning, in milliseconds: at a quiet time, and at last at any time.
  static let fullReadingInterval: Int64 = 7 * 24 * 3_600_000
  static let latestFullReading: Int64 = 8 * 24 * 3_600_000
  /// The members that must have no configs before a new device believes that there are none.
  static let configWitnesses = 3
  /// The members that must lack the same configs before a new device believes that the account has only the others.
  static let restWitnesses = 2
  /// The members that must have no keys before a group counts as expired.
  static let keyWitnesses = 2

  func laggards() async -> Set<String> {
    guard let now = try? context.time() else { return [] }
    return members.laggards(at: now.stored)
  }

  /// Begins to read the node from the beginning if it is time for that: what other members hide, or have in another order,
  /// is found that way. Returns true if that begins now.
  func beginFullReading(of node: String, lastAt last: Int64?, at now: MessageTime) async throws -> Bool {
    guard !members.isFullyRead(node) else { return false }
    // A device without any messages reads everything anyway.
    guard let last, last <= now.stored else {
      try await noteFullReading(at: now)
      return false
    }
    let age = now.stored - last
    guard age >= Self.fullReadingInterval,
      members.beginFullReading(of: node, isOverdue: age >= Self.latestFullReading)
    else { return false }
    try await context.write { [swarm, plan] transaction, _ in
      for namespace in plan.namespaces {
        try transaction.forgetHashes(from: node, of: swarm, namespace: Int(namespace.rawValue))
      }
    }
    return true
  }

  private func noteFullReading(at now: MessageTime) async throws {
    try await context.write { [swarm] transaction, _ in
      try transaction.noteFullReading(of: swarm, at: now.stored)
    }
  }

  /// Compares the reply of a member with what others gave.
  func judge(_ reply: SwarmReply, isComplete: Bool, _ result: inout SwarmPollResult) async throws {
    let now = try context.time()
    if members.note(reply.node, isComplete: isComplete, hasNew: result.hasNew) {
      try await noteFullReading(at: now)
    }
    guard isComplete, case .success? = reply.pages[plan.messages] else { return }
    result.needsWitness = try await needsWitness(beside: reply)
    guard members.mayCompare(reply.node, at: now.stored) else { return }
    let (swarm, namespace) = (swarm, Int(plan.messages.rawValue))
    let lags = try await context.database.read { transaction in
      try transaction.lacksMessages(
        reply.node, of: swarm, namespace: namespace, storedAfter: now.stored - Self.overlap,
        knownBefore: now.stored - Self.spreading, at: now.stored + Self.leastLife)
    }
    if lags { members.noteLag(of: reply.node, at: now.stored) }
  }

  /// True if another member must be asked for what this one does not have: the configs of an account that has none
  /// here, or the keys of a group.
  private func needsWitness(beside reply: SwarmReply) async throws -> Bool {
    if plan.isGroup { return keylessNodes.withLock { (1..<Self.keyWitnesses).contains($0.count) } }
    let namespaces = plan.configs.compactMap(\.namespace)
    let isEmpty = namespaces.allSatisfy { namespace in
      guard case .success(let page)? = reply.pages[namespace] else { return false }
      return page.messages.isEmpty
    }
    guard isEmpty else {
      members.noteNoAbsence()
      return false
    }
    let isKnown = try await context.database.read { [swarm] transaction in
      try namespaces.contains { try transaction.hasHashes(of: swarm, namespace: Int($0.rawValue)) }
    }
    guard !isKnown else { return false }
    return members.noteAbsence(by: reply.node) < Self.configWitnesses
  }
}

extension Reading where Self: ~Copyable {
  /// The message after which a node is read: the newest that it surely still stores, or one that another gave long
  /// enough ago.
  func cursor(
    of node: String, _ swarm: String, _ namespace: StorageNamespace, isFull: Bool, at now: MessageTime
  ) throws -> String? {
    let (number, alive) = (Int(namespace.rawValue), now.stored + OwnerInbox.leastLife)
    let last = try lastHash(from: node, of: swarm, namespace: number, at: alive)
    guard last == nil, !isFull, try !hasHashes(from: node, of: swarm, namespace: number) else { return last }
    return try lastHash(
      fromOthersThan: node, of: swarm, namespace: number, storedBefore: now.stored - OwnerInbox.overlap,
      at: alive)
  }
}
