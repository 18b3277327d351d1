import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

// MARK: - Merging

extension OwnerInbox {
  /// The result of merging the configs of a reply.
  struct Merged {
    var result = SwarmPollResult()
    /// Namespaces to read again from the beginning, because messages that could not be opened may open now.
    var retrieves: Set<StorageNamespace> = []
    var hasNewKeys = false
    /// True if the newest key is new, and this device did not make it.
    var hasStrangeKey = false
  }

  func takeConfigs(_ reply: SwarmReply, _ restarted: Set<StorageNamespace>) async throws -> Merged {
    var pages: [(StorageNamespace, [SwarmMessage])] = []
    for namespace in plan.configs.compactMap(\.namespace) {
      guard case .success(let page) = reply.pages[namespace] else { continue }
      pages.append((namespace, page.messages))
    }
    let found = pages
    guard isWorthMerging(found) else {
      if !plan.isGroup, author.owesSettling.withLock({ $0 }) {
        try await context.queue.run { [author] in try author.settle(after: []) }
      }
      return Merged()
    }
    return try await context.queue.run { [self] in
      try merge(found, from: reply.node, restarted: restarted)
    }
  }

  /// An empty reply matters only for a config whose dump was damaged: there is nothing in the swarm to repair it
  /// with.
  private func isWorthMerging(_ pages: [(StorageNamespace, [SwarmMessage])]) -> Bool {
    pages.contains { !$0.1.isEmpty } || author.configs.damaged.keys.contains { $0.owner == plan.owner }
  }

  private func merge(
    _ pages: [(StorageNamespace, [SwarmMessage])], from node: String, restarted: Set<StorageNamespace>
  ) throws -> Merged {
    let now = try context.time()
    let damaged = Set(author.configs.damaged.keys.filter { $0.owner == plan.owner }.map(\.kind))
    var poll = ConfigPoll(of: plan.owner)
    var times: [ConfigName: Int64] = [:]
    for (namespace, messages) in pages {
      guard let kind = ConfigKind(namespace), !messages.isEmpty || damaged.contains(kind) else { continue }
      let proper = properlyNamed(messages, in: namespace)
      // Forgeries alone do not tell that nothing is stored.
      guard messages.isEmpty || !proper.isEmpty else { continue }
      poll.add(
        proper.map { ConfigMessage(hash: $0.hash, stored: $0.data, storedAt: $0.storedAt) }, from: namespace
      )
      // No message is newer than now, whatever a clock said.
      if let newest = proper.map(\.storedAt.stored).max() {
        times[ConfigName(kind, of: plan.owner)] = min(newest, now.stored)
      }
    }
    let mayPush = try author.credentials(for: plan.owner)?.mayPush ?? false
    let newest = try plan.isGroup && mayPush ? newestGeneration() : nil
    let key = try newestKey()
    var outcome = try author.merge(
      poll, storedAt: times, contactsKnownAt: try timeOfContacts(), at: now
    ) { outcome, transaction in
      var merged = Merged()
      // A message that was obsolete on arrival has no push of its own that would delete it.
      if mayPush {
        try author.requestSync(of: plan.owner, after: ConfigSync.tidying, in: transaction)
      }
      if let newest, outcome.outcome.changes.contains(where: \.isRemoval) {
        try exposeKeys(upTo: newest, in: transaction)
      }
      let hasNewKeys = outcome.outcome.changes.contains(.groupKeys(plan.owner))
      var again = Set(outcome.retrieveAgain.compactMap(\.kind.namespace))
      if hasNewKeys, mayHaveUnopenedConfigs.withLock({ $0 }) {
        // An earlier run may have skipped configs that it could not open. A group that we just joined has no hashes yet.
        for kind in plan.configs where kind != .groupKeys {
          guard let namespace = kind.namespace,
            try transaction.forgetHashes(of: swarm, namespace: Int(namespace.rawValue)) > 0
          else { continue }
          again.insert(namespace)
        }
      }
      for (namespace, messages) in pages where !restarted.contains(namespace) && !again.contains(namespace) {
        // Messages that could not be merged are retrieved again.
        guard let kind = ConfigKind(namespace), outcome.failures[ConfigName(kind, of: plan.owner)] == nil
        else { continue }
        try remember(messages, from: node, in: namespace, &merged.result, transaction, at: now)
      }
      merged.result.hasNew = !merged.result.moved.isEmpty
      for namespace in again {
        try transaction.forgetHashes(of: swarm, namespace: Int(namespace.rawValue))
      }
      merged.hasNewKeys = hasNewKeys
      if hasNewKeys {
        merged.retrieves = try retrieveUnopened(in: transaction)
        try transaction.fulfil(event: ConfigAuthor.keyEvent(of: plan.owner))
      }
      return merged
    }
    // Only what is committed counts as done.
    if outcome.result.hasNewKeys { mayHaveUnopenedConfigs.withLock { $0 = false } }
    if !plan.isGroup { try author.settle(after: outcome.changes) }
    outcome.result.hasStrangeKey = try outcome.result.hasNewKeys && newestKey() != key
    return outcome.result
  }

  /// When the contacts were known to be current last: in the last poll that brought them or, after a start, when this
  /// device received anything.
  private func timeOfContacts() throws -> Int64? {
    guard !plan.isGroup else { return nil }
    if let time = contactsReadAt.withLock({ $0 }) { return time }
    return try context.database.read { [swarm] transaction in try transaction.lastReceipt(from: swarm) }
  }

  /// Called when the whole reply is stored: the contacts of a reply are as old as its messages.
  func noteContacts(in reply: SwarmReply) {
    guard !plan.isGroup, case .success(let page)? = reply.pages[.contacts], !page.hasMore,
      let now = try? context.time()
    else { return }
    contactsReadAt.withLock { $0 = now.stored }
  }

  /// Reads messages again that new keys may open.
  private func retrieveUnopened(in transaction: borrowing WriteTransaction) throws -> Set<StorageNamespace> {
    guard let thread = try transaction.thread(at: swarm), var group = try transaction.group(thread.id),
      group.hasUnopened
    else { return [] }
    group.hasUnopened = false
    try transaction.put(group)
    try transaction.forgetHashes(of: swarm, namespace: Int(plan.messages.rawValue))
    return [plan.messages]
  }
}

// MARK: - Events

extension OwnerInbox {
  /// Wakes jobs that started waiting after their event had occurred. Runs on the worker queue's own thread.
  func fulfilMissed() throws {
    let (keys, synced) = (ConfigAuthor.keyEvent(of: plan.owner), ConfigAuthor.syncEvent(of: plan.owner))
    let events =
      plan.isGroup
      ? [keys, synced] : [synced, ConfigAuthor.groupsReadEvent, ConfigAuthor.configsReadEvent]
    let awaited = try context.database.read { transaction in
      try events.filter { event in try transaction.isAwaited(event: event) }
    }
    let happened = try awaited.filter { event in
      switch event {
      case keys: try plan.isGroup && author.messageKey(of: plan.owner) != nil
      case ConfigAuthor.groupsReadEvent: author.hasReadGroups.withLock { $0 }
      case ConfigAuthor.configsReadEvent: author.hasReadConfigs.withLock { $0 }
      default: author.isInStep(plan.owner)
      }
    }
    guard !happened.isEmpty else { return }
    try context.requireWorking()
    try context.database.write { transaction in
      for event in happened { try transaction.fulfil(event: event) }
    }
  }
}

private enum ReceiptStatements {
  static let last: SQL = "SELECT max(receivedAt) FROM receivedHash WHERE swarm = ?"
}

extension Reading where Self: ~Copyable {
  /// When anything was received from a swarm last.
  fileprivate func lastReceipt(from swarm: String) throws -> Int64? {
    // Of no rows the latest time is null.
    let found: Int64?? = try value(ReceiptStatements.last, swarm)
    return found ?? nil
  }
}

// MARK: - Extending configs

extension OwnerInbox {
  func nextExtension(at now: MessageTime) async throws -> SwarmPoll.Extension? {
    let last = lastExtension.withLock { $0?.at ?? .min }
    guard now.stored >= last.saturatingAdd(Self.extensionInterval) || now.stored < last else { return nil }
    let hashes = try await context.queue.run { [author, plan] in
      try author.configs.activeHashes(in: plan.owner, at: now)
    }
    guard !hashes.isEmpty else { return nil }
    let until = try MessageTime(
      milliseconds: now.milliseconds + UInt64(ConfigSync.lifetimeInSwarm.milliseconds))
    lastExtension.withLock { $0 = Extension(at: now.stored, hashes: hashes, until: until.stored) }
    return SwarmPoll.Extension(hashes, until: until)
  }

  /// Stores configs again that no node of the swarm has; retries if no node replied.
  func judgeExtension(_ extended: Set<String>?) async throws {
    guard let requested = lastExtension.withLock({ $0 }), !requested.hashes.isEmpty else { return }
    guard let extended else {
      lastExtension.withLock { $0 = nil }
      return
    }
    lastExtension.withLock { $0 = Extension(at: requested.at, hashes: [], until: requested.until) }
    let kept = extended.intersection(requested.hashes)
    try await context.write { [swarm] transaction, _ in
      for hash in kept { try transaction.setExpiry(requested.until, of: hash, in: swarm) }
    }
    let lost = requested.hashes.prefix(SwarmPoll.maxExtended).filter { !extended.contains($0) }
    guard !lost.isEmpty else { return }
    context.environment.log(.warn, .configs, "lost-by-swarm", .count(lost.count))
    try await context.write { [context, plan] transaction, _ in
      try transaction.enqueue(ConfigRestoring(owner: plan.owner), at: context.jobTime)
    }
  }
}
