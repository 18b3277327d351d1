import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

// Without the configs of the account everybody is a stranger, and what a device stores is overruled by them. A device that
// has none yet reads them before messages, and before it stores its own.

/// What a device without configs has learned of them.
struct ConfigWait {
  /// True if messages are read, whether or not the configs are there.
  var isOver = false
  /// The members that do not have all configs.
  var lackingMembers: Set<String> = []
  /// The number of replies in which messages waited because configs were missing.
  var replies = 0
  /// The number of replies without all configs.
  var polls = 0
}

extension OwnerInbox {
  /// The number of replies without all configs after which messages are read, and configs stored, nevertheless. Configs
  /// that come later accept the requests of contacts.
  static let mostWaits = 10

  /// True if the messages of a reply have to wait: they stay in the swarm, and the cursor before them.
  func awaitsConfigs(_ reply: SwarmReply) async throws -> Bool {
    guard !plan.isGroup, !configWait.withLock({ $0.isOver }) else { return false }
    let namespaces = plan.configs.compactMap(\.namespace)
    let pages = namespaces.compactMap { reply.pages[$0] }
    let isWhole = pages.allSatisfy { page in
      if case .success(let page) = page { !page.hasMore } else { false }
    }
    let known = try await context.database.read { [swarm, plan] transaction in
      try (namespaces + [plan.messages]).filter { namespace in
        try transaction.hasHashes(of: swarm, namespace: Int(namespace.rawValue))
      }
    }
    let isComplete = isWhole && (pages.isEmpty || known.count == namespaces.count)
    // An account may never have had some of its configs, or one member hides them.
    let witnesses = known.isEmpty ? Self.configWitnesses : Self.restWitnesses
    let (waits, mayPush) = configWait.withLock { wait in
      wait.polls += 1
      if known.contains(plan.messages) || isComplete {
        wait.isOver = true
      } else if isWhole {
        // Each member is polled once before one comes again.
        let isNew = wait.lackingMembers.insert(reply.node).inserted
        wait.isOver = !isNew || wait.lackingMembers.count >= witnesses
      } else if case .success(let page)? = reply.pages[plan.messages], !page.messages.isEmpty {
        wait.replies += 1
        wait.isOver = wait.replies > Self.mostWaits
      }
      return (!wait.isOver, wait.isOver || wait.polls > Self.mostWaits)
    }
    if mayPush { try await noteConfigsRead() }
    return waits
  }

  /// Lets the configs of the account be stored from now on.
  private func noteConfigsRead() async throws {
    author.hasReadConfigs.withLock { $0 = true }
    let event = ConfigAuthor.configsReadEvent
    guard try await context.database.read({ transaction in try transaction.isAwaited(event: event) }) else {
      return
    }
    try await context.write { transaction, _ in try transaction.fulfil(event: event) }
  }
}
