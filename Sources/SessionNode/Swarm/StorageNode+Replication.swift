import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore

/// The size of one message of a transfer.
private let transferBytes = 4_000_000
/// The longest lifetime of a message, with tolerance for clocks.
private let longestLife: UInt64 = 30 * 86_400_000 + 70_000
/// How far the clock of another node may be ahead.
private let slack: UInt64 = 70_000

/// The number of stored requests read together, and of accounts delivered in parallel.
private let debtsTogether = 256
private let accountsTogether = 32

extension StorageNode {
  /// Keeps a request for members that could not be reached.
  func owe(_ request: StorageRequest, _ message: [UInt8], to members: [SwarmMember]) async {
    let away = members.filter(\.isToBeToldLater).map(\.node)
    guard !away.isEmpty else { return }
    var ends = now + longestLife
    if case .store(_, _, let expiry, _) = request.action { ends = expiry }
    pendingPeers.insert(away)
    // A lost debt is tolerable: other members have the message.
    try? await store.owe(message, about: request.account, to: away, time: now, ends: ends)
  }

  /// Delivers stored requests. Nil when the task must end.
  func payDebts() async -> Void? {
    guard !Task.isCancelled else { return nil }
    // A node that serves no more, or ends, still gives away what others are to have.
    guard let membership, now >= MachineClock.earliest, let owed = try? await store.pendingPeers() else {
      return ()
    }
    let waiting = owed.ofRequests.union(owed.ofAll)
    let gone = waiting.filter { membership.node($0) == nil }
    if !gone.isEmpty { try? await store.forgetCreditors(gone) }
    for key in gone { pendingPeers.remove(key) }
    await withTaskGroup { group in
      for key in waiting.subtracting(gone) {
        guard let peer = membership.node(key), health.mayTry(key, now: MachineClock.nanoseconds) else {
          continue
        }
        group.addTask { await self.pay(peer, membership) }
      }
    }
    return ()
  }

  /// Does the work of `replicate()` at once, also for nodes that were unreachable a moment ago.
  package func replicateNow() async {
    health.keep { _ in false }
    _ = await replicate()
  }

  private func pay(_ peer: NodeRecord, _ membership: Membership) async {
    do {
      while let debts = try await nextDebts(to: peer.key) {
        let heard = await send(debts, to: peer)
        try await store.settle(heard)
        // The rest is owed until the next time.
        guard heard.count == debts.count else { return }
      }
      try await handOver(to: peer, membership)
    } catch {
      // It is owed until the next time.
    }
  }

  /// The oldest stored requests for a node; nil if there are none and it may be called directly again.
  private func nextDebts(to key: [UInt8]) async throws -> [MessageStore.Debt]? {
    var debts = try await store.debts(to: key, limit: debtsTogether)
    guard debts.isEmpty else { return debts }
    pendingPeers.remove(key)
    // Something may have been added meanwhile.
    debts = try await store.debts(to: key, limit: debtsTogether)
    guard !debts.isEmpty else { return nil }
    pendingPeers.insert([key])
    return debts
  }

  /// Delivers stored requests: those of one account in order, several accounts in parallel. Returns the delivered
  /// ones.
  private func send(_ debts: [MessageStore.Debt], to peer: NodeRecord) async -> [Int64] {
    var accounts = Dictionary(grouping: debts, by: \.account).values.makeIterator()
    return await withTaskGroup(of: [Int64].self) { group in
      for _ in 0..<accountsTogether {
        guard let debts = accounts.next() else { break }
        group.addTask { await self.sendInOrder(debts, to: peer) }
      }
      var heard: [Int64] = []
      while let some = await group.next() {
        heard += some
        if let debts = accounts.next() { group.addTask { await self.sendInOrder(debts, to: peer) } }
      }
      return heard
    }
  }

  private func sendInOrder(_ debts: [MessageStore.Debt], to peer: NodeRecord) async -> [Int64] {
    var heard: [Int64] = []
    for debt in debts {
      let message = MessageParts.pack([Array("\(debt.time)".utf8), debt.request])
      let reply = try? await call(peer, NodeCommand.late, message, timeout: options.lateTimeout)
      // Any reply but 503 shows that the peer has received the request.
      guard let reply, let (code, _) = MessageParts.readAnswer(reply), code != 503 else { break }
      heard.append(debt.id)
    }
    return heard
  }

  /// A request that could not be forwarded when it was made. Its account may have left this node's swarm since.
  func answerLate(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    try requireNode(request)
    do throws(NodeRefusal) {
      if let unreadiness { throw NodeRefusal(503, "Service node is not ready: \(unreadiness)\n") }
      guard let parts = MessageParts.unpack(request.body), parts.count == 2,
        let time = UInt64(String(decoding: parts[0], as: UTF8.self)), time <= now + slack,
        time + longestLife > now
      else { throw NodeRefusal(400, "invalid late request") }
      return try await forwarded(parts[1], .late(time))
    } catch {
      return MessageParts.answer(error.code, Array(error.text.utf8))
    }
  }
}

// MARK: - Whole stores

extension StorageNode {
  /// Handles a new list of nodes: nodes that now store an account get its messages from here. A node that leaves its swarm
  /// hands everything to the remaining members, which will not ask it for missed requests later.
  func moved(from old: Membership?, to new: Membership) async {
    guard let old, old.ownSwarm != nil else { return }
    let hasOtherSwarms = old.space != new.space
    let isLeaving = old.ownSwarm != new.ownSwarm
    let others = new.activeNodes.filter { node in
      guard node.key != keys.publicKey else { return false }
      let isSettled = old.node(node.key)?.swarm == node.swarm
      if isSettled, node.swarm == new.ownSwarm, !isLeaving { return false }
      return hasOtherSwarms || (node.swarm == old.ownSwarm && (isLeaving || !isSettled))
    }
    guard !others.isEmpty else { return }
    try? await store.beginTransfers(to: others.map(\.key))
  }

  private func handOver(to peer: NodeRecord, _ membership: Membership) async throws {
    guard let start = try await store.nextTransfer(to: peer.key) else { return }
    let isTheirs: @Sendable ([UInt8]) -> Bool = { membership.space.swarm(of: $0) == peer.swarm }
    if start == 0 {
      let revocations = try await store.revocations(where: isTheirs)
      if !revocations.isEmpty {
        _ = try await call(
          peer, NodeCommand.revocations, TransferBlob.write(revocations), timeout: options.lateTimeout)
      }
    }
    var next: Int64? = start
    while let from = next {
      var blob = TransferBlob()
      (blob.messages, next) = try await store.page(
        from: from, maxBytes: transferBytes, now: now, where: isTheirs)
      if !blob.messages.isEmpty {
        _ = try await call(peer, NodeCommand.data, try blob.written(), timeout: options.lateTimeout)
      }
      try await store.transferred(to: peer.key, upTo: next)
    }
  }

  /// Messages handed over by another node. Drops those of other swarms and those with wrong hashes.
  func answerData(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    try requireNode(request)
    guard let membership, unreadiness == nil else { throw NetworkRefusal(503, "Service Unavailable") }
    guard let blob = try? TransferBlob(parsing: request.body) else {
      throw NetworkRefusal(400, "Bad Request")
    }
    let time = now
    let mine = blob.messages.filter { one in
      membership.isOurs(one.account) && one.message.data.count <= 76_800 && one.message.expiry > time
        && one.message.expiry <= time + longestLife
    }
    for one in try await store.take(mine) { announce(one.message, of: one.account, namespace: one.namespace) }
    return []
  }

  /// Rights that were taken back, from a node that hands over.
  func answerRevocations(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    try requireNode(request)
    guard let membership, unreadiness == nil else { throw NetworkRefusal(503, "Service Unavailable") }
    guard let all = try? TransferBlob.readRevocations(request.body) else {
      throw NetworkRefusal(400, "Bad Request")
    }
    for (account, revocations) in Dictionary(grouping: all, by: \.account) where membership.isOurs(account) {
      let tokens = revocations.map(\.token)
      try await store.revoke(tokens, of: account, requestedAt: now)
      subscriptions.remove(of: account) { $0.subaccount.map(tokens.contains) ?? false }
    }
    return []
  }

  /// Asks the other members of the swarm for their messages, if the store is empty.
  func requestAll(_ membership: Membership) async {
    guard (try? await store.count()) == 0 else { return }
    await withTaskGroup { group in
      for peer in membership.peers {
        group.addTask {
          _ = try? await self.call(peer, NodeCommand.wantsAll, [], timeout: self.options.lateTimeout)
        }
      }
    }
  }

  func answerWantsAll(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    let key = try requireMember(request)
    try await store.beginTransfers(to: [key])
    return []
  }

  /// Accepts only members of this node's swarm.
  @discardableResult
  private func requireMember(_ request: NetworkEndpoint.Request) throws(NetworkRefusal) -> [UInt8] {
    guard let key = request.peerKey, membership?.peers.contains(where: { $0.key == key }) ?? false else {
      throw NetworkRefusal(403, "Forbidden", details: "not a member of this swarm")
    }
    return key
  }
}

extension SwarmMember {
  /// True if the request must be delivered later.
  fileprivate var isToBeToldLater: Bool {
    switch outcome {
    case .timedOut, .badResponse: true
    case .refused(let code, _): code >= 500
    // It has heard of it; one that is full has no use for it later either.
    case .done, .queryFailure: false
    }
  }
}
