import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

// The actions that the state of a group requires after a poll, apart from its messages.

extension OwnerInbox {
  /// The number of new keys that an admin makes in an hour because of what other admins did at once.
  static let maxRepairs = 5
  private static let repairInterval: Int64 = 3_600_000

  /// Handles a removal from the group and its deletion, and repairs what only an admin can. Returns false if the group
  /// has ended for us: then its messages are not read.
  ///
  /// `hasStrangeKey` is true if the reply brought a key that another admin made. Runs on the worker queue's own thread.
  func follow(_ reply: SwarmReply, _ notices: [Notice], hasStrangeKey: Bool) throws -> Bool {
    guard plan.isGroup else { return true }
    let now = try context.time()
    guard let state = try state(hasStrangeKey) else { return false }
    try noteAccess(reply, state, at: now)
    try noteExpiry(reply, state)
    if state.info.isDestroyed {
      // Our own deletion is completed by its job, once it is stored.
      guard state.record.localState != .destroying else { return false }
      try end(state) { $0.markDestroyed() }
      return false
    }
    if let notice = try removal(among: notices, reply, state) {
      let seconds = Int64(clamping: min(notice.storedAt, now).seconds)
      try end(state) { entry in
        entry.markKicked()
        entry.membership.joinedAtSeconds = max(entry.membership.joinedAtSeconds, seconds)
      }
      return false
    }
    try remember(decided(notices, state), from: reply.node, at: now)
    if state.entry.adminKey != nil { try administer(state, at: now) }
    return true
  }

  /// The state of the group in the configs.
  fileprivate struct State {
    let entry: Group
    let info: GroupInfo
    let generation: Int64?
    /// True if two admins made a key at once, or the newest key may have been made for other people than the members, and
    /// this device has not made another one yet.
    let needsRekey: Bool
    /// Our own entry among the members.
    let member: GroupMember?
    /// The record of the group on this device.
    let record: GroupRecord
  }

  /// Nil if we are not in the group any more.
  private func state(_ hasStrangeKey: Bool) throws -> State? {
    let record = try context.database.read { transaction in try transaction.groupRecord(of: plan.owner) }
    guard let record else { return nil }
    return try author.configs.read { configs in
      guard let entry = try configs.groups[plan.owner], author.credentials(in: entry) != nil,
        configs.isOpen(plan.owner)
      else { return nil }
      // The other admin made the key without knowing about changes of the members that this device has not stored yet.
      let isForOthers = try hasStrangeKey && configs.needsPush(ConfigName(.groupMembers, of: plan.owner))
      return try configs.readGroup(plan.owner) { (group) throws(SessionError) in
        State(
          entry: entry, info: try group.getInfo(), generation: group.generation,
          needsRekey: !group.isRekeying
            && (group.needsRekey || record.exposedGeneration >= group.generation ?? .max
              || isForOthers),
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
  struct Notice: Sendable {
    fileprivate let message: SwarmMessage
    /// Nil if it concerns others, or is none at all.
    fileprivate let generation: UInt64?
    fileprivate var storedAt: MessageTime { message.storedAt }

    /// True unless it concerns an earlier membership.
    fileprivate func isNewer(than state: State) -> Bool {
      storedAt.stored > state.entry.membership.joinedAtSeconds.saturatingMultiplied(by: 1000)
    }
  }

  /// The notices of removals in a reply.
  func notices(in reply: SwarmReply) -> [Notice] {
    guard case .success(let page)? = reply.pages[.groupRemovals] else { return [] }
    return properlyNamed(page.messages, in: .groupRemovals).map { message in
      let notice = try? context.account.open(kickNotice: message.data, ofGroup: plan.owner)
      return Notice(message: message, generation: notice?.generation)
    }
  }

  /// The notice that removes us. Older ones concern an earlier membership. Without a key, a notice counts only if the
  /// swarm does not let us in any more: an old one may come before the keys that prove it outdated.
  private func removal(among notices: [Notice], _ reply: SwarmReply, _ state: State) throws -> Notice? {
    notices.last { notice in
      guard let generation = notice.generation, notice.isNewer(than: state) else { return false }
      guard let current = state.generation else { return isLockedOut(by: reply) }
      return generation >= UInt64(clamping: current)
    }
  }

  /// The notices that need not be read again: without a key, only those before the first one that may remove us.
  private func decided(_ notices: [Notice], _ state: State) -> [SwarmMessage] {
    guard state.generation == nil else { return notices.map(\.message) }
    return notices.prefix { $0.generation == nil || !$0.isNewer(than: state) }.map(\.message)
  }

  /// Moves the cursor behind notices that change nothing.
  private func remember(_ messages: [SwarmMessage], from node: String, at now: MessageTime) throws {
    guard !messages.isEmpty else { return }
    try context.database.write { transaction in
      var result = SwarmPollResult()
      try remember(messages, from: node, in: .groupRemovals, &result, transaction, at: now)
    }
  }
}

// MARK: - Access

extension OwnerInbox {
  /// True if the swarm refused our access, although the request was valid.
  private func isLockedOut(by reply: SwarmReply) -> Bool {
    guard case .success? = reply.pages[.groupRemovals] else { return false }
    let others = reply.pages.filter { $0.key != .groupRemovals }.values
    return !others.isEmpty
      && others.allSatisfy { result in
        if case .failure(let failure) = result { failure.kind == .unauthorized } else { false }
      }
  }

  /// Records that the swarm does not let us in, or does again. A node may lie, so that nothing is deleted.
  private func noteAccess(_ reply: SwarmReply, _ state: State, at now: MessageTime) throws {
    let isLockedOut = isLockedOut(by: reply)
    let isLetIn = reply.pages.contains { namespace, result in
      if case .success = result { namespace != .groupRemovals } else { false }
    }
    guard isLockedOut || isLetIn else { return }
    try change(state) { record in
      if isLockedOut, record.accessLostAt == nil { record.accessLostAt = now.stored }
      if isLetIn { record.accessLostAt = nil }
    }
  }

  /// Records that the keys of the group are gone: two nodes have none, and we never had one.
  private func noteExpiry(_ reply: SwarmReply, _ state: State) throws {
    guard state.generation == nil, case .success(let page)? = reply.pages[.groupKeys] else {
      if state.generation != nil { try change(state) { $0.isExpired = false } }
      return
    }
    guard page.messages.isEmpty else {
      keylessNodes.withLock { $0 = [] }
      return try change(state) { $0.isExpired = false }
    }
    let count = keylessNodes.withLock { nodes in
      nodes.insert(reply.node)
      return nodes.count
    }
    guard count >= Self.keyWitnesses else { return }
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
  /// Makes a new key if the newest one is not enough, and tells the members that we are an admin.
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
        context.environment.log(.warn, .configs, "key-not-replaced", .person(plan.owner, "owner"))
        return false
      }
      times.append(now)
      return true
    }
  }
}

// MARK: - Exposed keys

extension OwnerInbox {
  /// The generation of the newest key of the group, even if only this device has it yet.
  func newestGeneration() throws -> Int64? {
    try author.configs.read { configs in
      guard configs.isOpen(plan.owner) else { return nil }
      return try configs.readGroup(plan.owner) { group in
        group.generation.map { group.isRekeying ? $0 + 1 : $0 }
      }
    }
  }

  /// The digest of the newest key of the group, even if only this device has it yet.
  func newestKey() throws -> [UInt8]? {
    try author.configs.read { configs in
      guard configs.isOpen(plan.owner) else { return nil }
      return try configs.readGroup(plan.owner) { (group) throws(SessionError) in
        try group.messageKeys().first?.digest()
      }
    }
  }

  /// Records that members are gone who may have the keys up to a generation. The admin who removed them made a newer key
  /// without them, but another one may have made a key since, before they knew of the removal.
  func exposeKeys(upTo generation: Int64, in transaction: borrowing WriteTransaction) throws {
    guard let thread = try transaction.thread(at: swarm), var group = try transaction.group(thread.id),
      group.exposedGeneration < generation
    else { return }
    group.exposedGeneration = generation
    try transaction.put(group)
  }
}

extension ConfigChange {
  /// True if somebody is no member of a group any more.
  var isRemoval: Bool {
    guard case .groupMember(_, in: _, nil) = self else { return false }
    return true
  }
}
