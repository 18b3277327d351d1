import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// Processes the replies for the swarm of one owner: configs first, then messages in pieces.
///
/// The cursor of a node is stored in the same transaction as its messages: if the program ends in between, it
/// requests them again.
final class OwnerInbox: SwarmInbox {
  /// The number of messages stored in one transaction.
  static let pieceSize = 100
  /// The interval at which configs are extended in the swarm, in milliseconds.
  static let extensionInterval: Int64 = 24 * 3_600_000
  /// The longest time that a hash is remembered, whatever a node says, in milliseconds.
  static let longestMemory: Int64 = 31 * 24 * 3_600_000
  /// The number of hashes remembered per node and namespace; the newest ones stay.
  static let longestTrail = 1000

  /// A message that expires sooner is not used as a cursor, because the node may not have it any more; in
  /// milliseconds.
  static let leastLife: Int64 = 3_600_000
  /// How long after joining a group older messages may still become readable, in milliseconds.
  static let longestJoining: Int64 = 24 * 3_600_000

  static let notInGroup = MessengerError(.notAllowed, "the account is not in this group any more")

  let plan: InboxPlan
  let context: AccountContext
  let author: ConfigAuthor
  let ratchet: Ratchet
  let typists: Typists
  let receiving: ReceivingBoard
  let cursors = MailboxCursors()
  let members = SwarmMembers()
  let lastExtension = Mutex<Extension?>(nil)
  /// True if an earlier run may have retrieved configs that it could not open.
  let mayHaveUnopenedConfigs = Mutex(true)
  let configWait = Mutex(ConfigWait())
  /// When this process read the contacts of the account last.
  let contactsReadAt = Mutex<Int64?>(nil)
  /// The number of consecutive polls of a group without any activity.
  let emptyPolls = Mutex(0)
  /// The nodes that had no key of a group of which we have none.
  let keylessNodes = Mutex<Set<String>>([])
  /// True once the swarm of a group is known to have been read as an admin.
  let wasReadAsAdmin = Mutex(false)
  /// When this device made a key because two other admins had made one at once.
  let repairs = Mutex<[Int64]>([])

  struct Extension {
    let at: Int64
    let hashes: [String]
    let until: Int64
  }

  init(
    _ plan: InboxPlan, _ context: AccountContext, _ author: ConfigAuthor, _ ratchet: Ratchet,
    _ typists: Typists, _ receiving: ReceivingBoard
  ) {
    self.plan = plan
    self.context = context
    self.author = author
    self.ratchet = ratchet
    self.typists = typists
    self.receiving = receiving
  }

  /// The owner as stored in the database.
  var swarm: String { plan.owner.address }

  func nextPoll(at node: String) async throws -> SwarmPoll {
    let now = try context.time()
    // One step of the queue: there may be many groups, in which nothing happens.
    let (credentials, begin) = try await context.queue.run { [self] in
      guard let credentials = try author.credentials(for: plan.owner) else { throw Self.notInGroup }
      return (credentials, try readBegin(of: node, at: now))
    }
    let isNewAdmin =
      if plan.isGroup, credentials.mayPush { try await beginReadingAsAdmin() } else { false }
    let isNewlyFull = try await beginFullReading(of: node, lastAt: begin.fullReadingAt, at: now)
    var cursors = begin.cursors
    if isNewAdmin || isNewlyFull {
      cursors = try await context.queue.run { [self] in try readBegin(of: node, at: now).cursors }
    }
    let positions = zip(plan.namespaces, cursors).map { namespace, last in
      SwarmPoll.Position(
        namespace, after: last, part: self.cursors.begin(at: node, namespace, after: last))
    }
    return SwarmPoll(as: credentials.signer, positions, extending: try await nextExtension(at: now))
  }

  /// What is known of a node before it is polled.
  private struct Begin {
    /// The cursors of the namespaces.
    let cursors: [String?]
    /// When a member was last read from the beginning.
    let fullReadingAt: Int64?
  }

  private func readBegin(of node: String, at now: MessageTime) throws -> Begin {
    let isFull = members.isFullyRead(node)
    return try context.database.read { transaction in
      Begin(
        cursors: try plan.namespaces.map { namespace in
          try transaction.cursor(of: node, swarm, namespace, isFull: isFull, at: now)
        }, fullReadingAt: try transaction.fullReading(of: swarm))
    }
  }

  func take(_ whole: SwarmReply) async throws -> SwarmPollResult {
    let beganAt = context.jobTime
    let (reply, isUnfinished) = plan.bounded(whole.plausible(at: try context.time()))
    let found = reply.pages[plan.messages]
    receiving.change { receiving in
      if case .success(let page)? = found { receiving.given += page.messages.count }
      if !plan.isGroup { receiving.hasMore = reply.hasMore }
    }
    let readings = try await readings(of: reply)
    let restarted = Set(readings.filter(\.value.isRestarted).keys)
    let merged = try await takeConfigs(reply, restarted)
    if !plan.isGroup, case .success(let page)? = reply.pages[.userGroups], !page.hasMore {
      author.hasReadGroups.withLock { $0 = true }
    }
    var result = merged.result
    let newConfigs = result.moved
    let notices = notices(in: reply)
    let isIn = try await context.queue.run { [self] in
      try fulfilMissed()
      return try follow(reply, notices, hasStrangeKey: merged.hasStrangeKey)
    }
    let waits = try await awaitsConfigs(reply)
    if waits, case .success(let page)? = found {
      receiving.change { $0.given -= page.messages.count }
    } else if isIn, case .success(let page)? = found {
      let isRepeated = restarted.contains(plan.messages) || merged.retrieves.contains(plan.messages)
      try await take(page.messages, from: reply.node, isRepeated: isRepeated, &result)
    }
    noteContacts(in: reply)
    try await stepBack(restarted, at: reply.node, &result)
    for (namespace, reading) in readings
    where !reading.isRestarted && !(waits && namespace == plan.messages) {
      let isNew = namespace == plan.messages ? result.hasNew : newConfigs.contains(namespace)
      cursors.advance(
        at: reply.node, namespace, to: reading.last, isNewHere: reading.isNewHere, isNew: isNew)
    }
    try await judgeExtension(reply.extended)
    result.failure = plan.failure(of: reply)
    if !plan.isGroup, result.failure == nil, !waits, !isUnfinished, case .success(let page)? = found,
      !page.hasMore
    {
      try await ratchet.noteComplete(readingAt: beganAt)
    }
    result.isUnfinished = isUnfinished
    try await judge(reply, isComplete: !reply.hasMore && !isUnfinished, &result)
    result.needsWitness = result.needsWitness || waits
    return result
  }
}

// MARK: - Moving cursors

extension OwnerInbox {
  /// Begins anew, once, in the swarm of a group of which the account has become an admin: it can open all keys now, and
  /// what was written before it joined. Each of its devices does so, however it learned of the promotion. Returns true if
  /// this poll is the first.
  private func beginReadingAsAdmin() async throws -> Bool {
    guard !wasReadAsAdmin.withLock({ $0 }) else { return false }
    let isFirst = try await context.write { [swarm] transaction, _ in
      guard let thread = try transaction.thread(at: swarm), var group = try transaction.group(thread.id),
        !group.wasReadAsAdmin
      else { return false }
      for namespace in [StorageNamespace.groupKeys, .groupMessages] {
        try transaction.forgetHashes(of: swarm, namespace: Int(namespace.rawValue))
      }
      group.wasReadAsAdmin = true
      try transaction.put(group)
      return true
    }
    wasReadAsAdmin.withLock { $0 = true }
    return isFirst
  }

  /// The position at which the reply of a node begins.
  private struct Reading {
    let last: String?
    /// True if the node had sent none of it before.
    var isNewHere = true
    /// True if it begins before the cursor: the node does not have that message any more.
    var isRestarted = false
  }

  private func readings(of reply: SwarmReply) async throws -> [StorageNamespace: Reading] {
    guard reply.pages.values.contains(where: { (try? $0.get().messages.isEmpty) == false }) else {
      return [:]
    }
    let (swarm, node, cursors) = (swarm, reply.node, cursors)
    return try await context.database.read { transaction in
      var readings: [StorageNamespace: Reading] = [:]
      for (namespace, page) in reply.pages {
        guard let page = try? page.get(), !page.messages.isEmpty else { continue }
        let (number, cursor) = (Int(namespace.rawValue), cursors.cursor(at: node, namespace))
        var places: [Int64] = []
        for message in page.messages {
          let place = try transaction.position(of: message.hash, from: node, of: swarm, namespace: number)
          if let place { places.append(place) }
        }
        var reading = Reading(last: page.messages.last?.hash, isNewHere: places.isEmpty)
        // A complete reply determines the order itself.
        if page.hasMore, !cursor.isFresh, let first = places.min(), let hash = cursor.requested {
          let requested = try transaction.position(of: hash, from: node, of: swarm, namespace: number)
          reading.isRestarted = first < requested ?? .min
        }
        readings[namespace] = reading
      }
      return readings
    }
  }

  /// Moves the cursor of a node to an older message or, if there is none, to the beginning.
  private func stepBack(
    _ namespaces: Set<StorageNamespace>, at node: String, _ result: inout SwarmPollResult
  ) async throws {
    guard !namespaces.isEmpty else { return }
    let steps = namespaces.map { (Int($0.rawValue), cursors.stepBack(at: node, $0)) }
    try await context.write { [swarm] transaction, now in
      for (namespace, count) in steps {
        try transaction.stepBack(count, from: node, of: swarm, namespace: namespace)
        let last = try transaction.lastHash(from: node, of: swarm, namespace: namespace, at: now.stored)
        if last == nil { try transaction.forgetHashes(from: node, of: swarm, namespace: namespace) }
      }
    }
    result.moved.formUnion(namespaces)
    result.isSteppingBack = true
  }
}

// MARK: - Storing cursors

extension OwnerInbox {
  /// Stores the cursor of a node, and the trail behind it. With enough other messages to come, which push these out of the
  /// trail, only the cursor.
  func remember(
    _ messages: [SwarmMessage], before others: Int = 0, from node: String, in namespace: StorageNamespace,
    _ result: inout SwarmPollResult,
    _ transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    let number = Int(namespace.rawValue)
    let before = try transaction.lastHash(from: node, of: swarm, namespace: number, at: now.stored)
    let isOvertaken = others >= Self.longestTrail && !messages.isEmpty
    if isOvertaken { try transaction.forgetHashes(from: node, of: swarm, namespace: number) }
    for message in isOvertaken ? messages.suffix(1) : messages[...] {
      try transaction.insertLast(
        ReceivedHash(
          message.hash, from: node, of: swarm, namespace: number,
          expiresAt: min(message.expiresAt.stored, now.stored + Self.longestMemory),
          storedAt: message.storedAt.stored, receivedAt: now.stored))
    }
    try transaction.trimHashes(from: node, of: swarm, namespace: number, keeping: Self.longestTrail)
    let after = try transaction.lastHash(from: node, of: swarm, namespace: number, at: now.stored)
    if after != before { result.moved.insert(namespace) }
  }
}

extension Int64 {
  func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }
}
