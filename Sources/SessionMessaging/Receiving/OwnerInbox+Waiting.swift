import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

// Without the configs of the account everybody is a stranger. A device that has none yet reads them before messages.

/// What a device without configs has learned of them.
struct ConfigWait {
  /// True if messages are read, whether or not the configs are there.
  var isOver = false
  /// The members that have no configs.
  var emptyMembers: Set<String> = []
  /// The number of replies in which messages waited because configs were missing.
  var replies = 0
}

extension OwnerInbox {
  /// The number of replies without all configs after which messages are read nevertheless. Configs that come later
  /// accept the requests of contacts.
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
    let isKnown = known.contains(plan.messages) || (isWhole && (!known.isEmpty || pages.isEmpty))
    return configWait.withLock { wait in
      if isKnown {
        wait.isOver = true
      } else if isWhole {
        // Each member is polled once before one comes again.
        let isNew = wait.emptyMembers.insert(reply.node).inserted
        wait.isOver = !isNew || wait.emptyMembers.count >= Self.configWitnesses
      } else if case .success(let page)? = reply.pages[plan.messages], !page.messages.isEmpty {
        wait.replies += 1
        wait.isOver = wait.replies > Self.mostWaits
      }
      return !wait.isOver
    }
  }
}
