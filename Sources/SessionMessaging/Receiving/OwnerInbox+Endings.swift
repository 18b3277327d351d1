import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

// What the state of a group after a poll requires of us, apart from its messages.

extension OwnerInbox {
  /// The number of new keys that an admin makes in an hour because two others made one at once.
  static let maxRepairs = 5
  private static let repairInterval: Int64 = 3_600_000

  /// Handles a removal from the group and its deletion, and repairs what only an admin can. Returns false if the group
  /// has ended for us: then its messages are not read.
  func follow(_ harvest: SwarmHarvest) async throws -> Bool {
    guard plan.isGroup else { return true }
    let notices = await notices(in: harvest)
    return try await context.queue.run { [self] in
      let now = try context.time()
      guard let state = try state() else { return false }
      try noteAccess(harvest, state, at: now)
      try noteExpiry(harvest, state)
      if state.info.isDestroyed {
        // Our own deletion is completed by its job, once it is stored.
        guard state.record.localState != .destroying else { return false }
        try end(state) { $0.markDestroyed() }
        return false
      }
      if let notice = try removal(among: notices, harvest, state) {
        let seconds = Int64(clamping: min(notice.storedAt, now).seconds)
        try end(state) { entry in
          entry.markKicked()
          entry.membership.joinedAtSeconds = max(entry.membership.joinedAtSeconds, seconds)
        }
        return false
      }
      try remember(notices.map(\.message), from: harvest.node, at: now)
      if state.entry.adminKey != nil { try administer(state, at: now) }
      return true
    }
  }

  /// What the configs say about the group.
  private struct State {
    let entry: Group
    let info: GroupInfo
    let generation: Int64?
    /// True if two admins made a key at once, and this device has not made another one yet.
    let needsRekey: Bool
    /// Our own entry among the members.
    let member: GroupMember?
    /// What this device knows about the group.
    let record: GroupRecord
  }

  /// Nil if we are not in the group any more.
  private func state() throws -> State? {
    let record = try context.database.read { transaction in try transaction.groupRecord(of: plan.owner) }
    guard let record else { return nil }
    return try author.configs.read { configs in
      guard let entry = try configs.groups[plan.owner], entry.credentials(of: context.account) != nil,
        configs.openGroups.contains(plan.owner)
      else { return nil }
      return try configs.readGroup(plan.owner) { (group) throws(SessionError) in
        State(
          entry: entry, info: try group.getInfo(), generation: group.generation,
          needsRekey: group.needsRekey && !group.isRekeying,
          member: try group.member(context.own), record: record)
      }
    }
  }

  /// Ends our membership: the configs forget the secrets of the group, and this device its messages. A group that we are
  /// leaving goes altogether.
  private func end(_ state: State, _ change: (inout Group) -> Void) throws {
    let group = plan.owner
    let isLeaving = state.record.localState != .none
    try author.editNow { configs, _ in
      guard !isLeaving else {
        try configs.groups.remove(group)
        try configs.conversations.remove(.group(group))
        return
      }
      try configs.groups.update(group) { entry in
        if !state.info.name.isEmpty { entry.name = state.info.name }
        change(&entry)
      }
    } writing: { _, _, _ in
    }
  }
}

// MARK: - Removal

extension OwnerInbox {
  /// A notice of a removal that opened for us.
  private struct Notice: Sendable {
    let message: SwarmMessage
    /// Nil if it concerns others, or is none at all.
    let generation: UInt64?
    var storedAt: MessageTime { message.storedAt }
  }

  private func notices(in harvest: SwarmHarvest) async -> [Notice] {
    guard case .success(let crop)? = harvest.crops[.groupRemovals] else { return [] }
    return properlyNamed(crop.messages, in: .groupRemovals).map { message in
      let notice = try? context.account.open(kickNotice: message.data, ofGroup: plan.owner)
      return Notice(message: message, generation: notice?.generation)
    }
  }

  /// The notice that removes us. Older ones concern an earlier membership. Without a key, a notice counts only if the
  /// swarm does not let us in any more: an old one may come before the keys that prove it outdated.
  private func removal(among notices: [Notice], _ harvest: SwarmHarvest, _ state: State) throws -> Notice? {
    notices.last { notice in
      guard let generation = notice.generation,
        notice.storedAt.stored > state.entry.membership.joinedAtSeconds.saturatingMultiplied(by: 1000)
      else { return false }
      guard let current = state.generation else { return isLockedOut(by: harvest) }
      return generation >= UInt64(clamping: current)
    }
  }

  /// Moves the cursor behind notices that concern others.
  private func remember(_ messages: [SwarmMessage], from node: String, at now: MessageTime) throws {
    guard !messages.isEmpty else { return }
    try context.database.write { transaction in
      var gain = SwarmGain()
      try remember(messages, from: node, in: .groupRemovals, &gain, transaction, at: now)
    }
  }
}

// MARK: - Access

extension OwnerInbox {
  /// True if the swarm refused our access, although the request was valid.
  private func isLockedOut(by harvest: SwarmHarvest) -> Bool {
    guard case .success? = harvest.crops[.groupRemovals] else { return false }
    let others = harvest.crops.filter { $0.key != .groupRemovals }.values
    return !others.isEmpty
      && others.allSatisfy { result in
        if case .failure(let failure) = result { failure.kind == .unauthorized } else { false }
      }
  }

  /// Records that the swarm does not let us in, or does again. A node may lie, so that nothing is deleted.
  private func noteAccess(_ harvest: SwarmHarvest, _ state: State, at now: MessageTime) throws {
    let isLockedOut = isLockedOut(by: harvest)
    let isLetIn = harvest.crops.contains { namespace, result in
      if case .success = result { namespace != .groupRemovals } else { false }
    }
    guard isLockedOut || isLetIn else { return }
    try change(state) { record in
      if isLockedOut, record.accessLostAt == nil { record.accessLostAt = now.stored }
      if isLetIn { record.accessLostAt = nil }
    }
  }

  /// Records that the keys of the group are gone: two nodes have none, and we never had one.
  private func noteExpiry(_ harvest: SwarmHarvest, _ state: State) throws {
    guard state.generation == nil, case .success(let crop)? = harvest.crops[.groupKeys] else {
      if state.generation != nil { try change(state) { $0.isExpired = false } }
      return
    }
    guard crop.messages.isEmpty else {
      keylessNodes.withLock { $0 = [] }
      return try change(state) { $0.isExpired = false }
    }
    let count = keylessNodes.withLock { nodes in
      nodes.insert(harvest.node)
      return nodes.count
    }
    guard count > 1 else { return }
    let hadKeys = try context.database.read { transaction in
      try transaction.hasHashes(of: swarm, namespace: Int(StorageNamespace.groupKeys.rawValue))
    }
    if !hadKeys { try change(state) { $0.isExpired = true } }
  }

  /// Changes the row of the group, if that changes anything.
  private func change(_ state: State, _ body: @escaping @Sendable (inout GroupRecord) -> Void) throws {
    var after = state.record
    body(&after)
    guard after != state.record else { return }
    try context.database.write { [context, plan] transaction in
      guard let thread = try transaction.thread(at: plan.owner.address),
        var record = try transaction.group(thread.id)
      else { return }
      body(&record)
      try transaction.put(record)
      try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: context.time())
    }
  }
}

// MARK: - Administration

extension OwnerInbox {
  /// Makes a new key if two admins made one at once, and tells the members that we are an admin.
  private func administer(_ state: State, at now: MessageTime) throws {
    let isUnconfirmed =
      state.member.map { !$0.isBeingRemoved && $0.status != .promotionAccepted } ?? false
    let repairs = state.needsRekey && mayRepair(at: now.stored)
    guard isUnconfirmed || repairs else { return }
    try author.editNow { configs, _ in
      try configs.withGroup(plan.owner) { (group) throws(SessionError) in
        if isUnconfirmed { try group.updateMember(context.own) { $0.note(.promotionAccepted) } }
        if repairs { try group.rekey() }
      }
    } writing: { _, _, _ in
    }
  }

  private func mayRepair(at now: Int64) -> Bool {
    repairs.withLock { times in
      times.removeAll { $0 <= now - Self.repairInterval || $0 > now }
      guard times.count < Self.maxRepairs else {
        context.environment.log("did not make another key for \(plan.owner): too many within an hour")
        return false
      }
      times.append(now)
      return true
    }
  }
}
