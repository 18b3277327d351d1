import SessionNodeCore

@testable import SessionCore

/// One call that a node carries out.
struct LoopbackAct {
  typealias State = LoopbackStorage.State

  private static let version: [UInt16] = [2, 11, 0]
  private static let height: UInt64 = 1000
  private static let block = String(repeating: "ab", count: 32)

  let node: [UInt8]
  let mischief: LoopbackStorage.Mischief?

  func result(of request: StorageRequest, on state: inout State) throws -> StorageResult {
    if request.hasAccount {
      let swarm = state.swarm(of: request.account)
      guard request.method == "get_swarm" || swarm.contains(where: { $0.record.key == node }) else {
        return StorageResult(code: 421, .swarm(swarm.named))
      }
      let isRevoked = request.subaccount.map(state.revoked.contains) ?? false
      do {
        _ = try request.authorize(now: state.clock.time, isRevoked: isRevoked)
      } catch {
        return StorageResult(error)
      }
    }
    return try carryOut(request, on: &state)
  }

  private func carryOut(_ request: StorageRequest, on state: inout State) throws -> StorageResult {
    switch request.action {
    case .store: try store(request, on: &state)
    case .retrieve: retrieve(request, from: state)
    case .delete(let hashes, let isRequired):
      try delete(request, on: &state, isRequired: isRequired) { hashes.contains($0.message.hash) }
    case .deleteAll(let namespace): try delete(request, on: &state) { $0.isIn(namespace) }
    case .deleteBefore(let namespace, let time):
      try delete(request, on: &state) { $0.isIn(namespace) && $0.message.timestamp <= time }
    case .expire(let hashes, let expiries, let mode):
      try expire(hashes, expiries, mode, for: request, on: &state)
    case .expireAll(let namespace, let expiry):
      try expireAll(in: namespace, at: expiry, for: request, on: &state)
    case .getExpiries(let hashes):
      StorageResult(.reply(.expiries(state.rows(of: request) { hashes.contains($0.message.hash) }.changes)))
    case .revoke(let tokens): try revoke(tokens, true, for: request, on: &state)
    case .unrevoke(let tokens): try revoke(tokens, false, for: request, on: &state)
    default: try answer(request, on: &state)
    }
  }

  /// Answers requests that do not concern messages.
  private func answer(_ request: StorageRequest, on state: inout State) throws -> StorageResult {
    let reply: StorageReply
    switch request.action {
    case .revoked: reply = .tokens(state.revoked)
    case .getSwarm: reply = .swarm(state.swarm(of: request.account).named)
    case .serviceNodes(_, _, let known):
      let nodes = known == Self.block ? nil : state.members.map(\.record)
      reply = .serviceNodes(nodes, height: Self.height, blockHash: Self.block)
    case .info: reply = .info(version: Self.version, timestamp: state.clock.time)
    case .batch(let requests): reply = .results(try requests.map { try result(of: $0, on: &state) })
    case .sequence(let requests): reply = .results(try sequence(requests, on: &state))
    case .branch(let conditions, let first, let second):
      let holds = conditions.hold(fork: state.clock.fork, version: Self.version, height: Self.height)
      let taken: StorageRequest? = holds ? first : second
      var done: StorageResult?
      if let taken { done = try result(of: taken, on: &state) }
      reply = .outcome(isTrue: holds, height: Self.height, version: Self.version, done)
    case .activeNodes: reply = .activeNodes(state.members.map(\.record))
    default: reply = .unregisteredName
    }
    return StorageResult(.reply(reply))
  }

  private func sequence(_ requests: [StorageRequest], on state: inout State) throws -> [StorageResult] {
    var results: [StorageResult] = []
    for request in requests {
      results.append(try result(of: request, on: &state))
      guard results.last?.isSuccess == true else { break }
    }
    return results
  }
}

// MARK: - Messages

extension LoopbackAct {
  private func store(_ request: StorageRequest, on state: inout State) throws -> StorageResult {
    guard case .store(let namespace, let timestamp, var expiry, let data) = request.action else {
      preconditionFailure()
    }
    let hash = SessionCore.StoredMessage.hash(of: data, account: request.account, namespace: namespace)
    let known = state.rows.firstIndex { $0.message.hash == hash }
    if let known { expiry = max(expiry, state.rows.remove(at: known).message.expiry) }
    let message = SessionCore.StoredMessage(hash: hash, timestamp: timestamp, expiry: expiry, data: data)
    state.rows.append(.init(account: request.account, namespace: namespace, message: message))
    return try swarmDid(request, state) { success in
      success.hash = hash
      success.expiry = expiry
      success.isAlready = known != nil
    }
  }

  private func retrieve(_ request: StorageRequest, from state: State) -> StorageResult {
    guard case .retrieve(let namespace, let lastHash, let maxCount, let budget) = request.action else {
      preconditionFailure()
    }
    var messages = state.rows(of: request) { $0.namespace == namespace }.map(\.message)
    if let last = messages.firstIndex(where: { $0.hash == lastHash }) { messages.removeFirst(last + 1) }
    var left = Int64(clamping: budget)
    let sent = messages.enumerated().prefix { index, message in
      left -= Int64(SessionCore.StoredMessage.cost(hash: message.hash.utf8.count, data: message.data.count))
      return index == 0 || left >= 0 && (maxCount == 0 || index < maxCount)
    }.map { corrupted($0.element) }
    return StorageResult(.reply(.messages(sent, hasMore: sent.count < messages.count)))
  }

  private func corrupted(_ message: SessionCore.StoredMessage) -> SessionCore.StoredMessage {
    guard case .corrupt = mischief else { return message }
    return SessionCore.StoredMessage(
      hash: message.hash, timestamp: message.timestamp, expiry: message.expiry, data: message.data + [0])
  }

  private func delete(
    _ request: StorageRequest, on state: inout State, isRequired: Bool = false,
    _ isMeant: (LoopbackStorage.Row) -> Bool
  ) throws -> StorageResult {
    let gone = state.rows(of: request, isMeant)
    state.rows.removeAll { row in gone.contains { $0.message.hash == row.message.hash } }
    let result = try swarmDid(request, state) { $0.changed = gone.changes }
    return StorageResult(code: isRequired && gone.isEmpty ? 404 : 200, result.body)
  }

  private func expire(
    _ hashes: [String], _ expiries: [UInt64], _ mode: Storage.Expire.Mode, for request: StorageRequest,
    on state: inout State
  ) throws -> StorageResult {
    var changed: [LoopbackStorage.Row] = []
    var unchanged: [LoopbackStorage.Row] = []
    for (index, hash) in hashes.enumerated() {
      guard let row = state.index(of: hash, for: request) else { continue }
      let (old, new) = (state.rows[row].message.expiry, expiries[expiries.count == 1 ? 0 : index])
      switch mode {
      case .shorten where new >= old, .extend where new <= old: unchanged.append(state.rows[row])
      default: changed.append(state.expire(row, at: new))
      }
    }
    return try swarmDid(request, state) { success in
      success.changed = changed.changes
      success.unchanged = mode == .set ? [] : unchanged.changes
      success.expiry = expiries[0]
    }
  }

  private func expireAll(
    in namespace: Int16?, at expiry: UInt64, for request: StorageRequest, on state: inout State
  ) throws -> StorageResult {
    let meant = state.rows(of: request) { $0.isIn(namespace) && $0.message.expiry > expiry }
    for row in meant {
      if let index = state.index(of: row.message.hash, for: request) { _ = state.expire(index, at: expiry) }
    }
    return try swarmDid(request, state) { $0.changed = meant.changes }
  }

  private func revoke(
    _ tokens: [[UInt8]], _ isRevoked: Bool, for request: StorageRequest, on state: inout State
  ) throws -> StorageResult {
    let before = state.revoked.count
    state.revoked.removeAll(where: tokens.contains)
    let removed = before - state.revoked.count
    if isRevoked { state.revoked += tokens }
    return try swarmDid(request, state) { $0.count = isRevoked ? 0 : UInt64(removed) }
  }
}

// MARK: - What the swarm did

extension LoopbackAct {
  /// The successes of all members of the swarm, each with its signature, unless the node lies.
  private func swarmDid(
    _ request: StorageRequest, _ state: State, _ fill: (inout SwarmMember.Success) -> Void
  ) throws -> StorageResult {
    var success = SwarmMember.Success()
    fill(&success)
    var members = try state.swarm(of: request.account).map {
      try SwarmMember(success, for: request, by: $0.keys)
    }
    switch mischief {
    case .fail(let key, let outcome):
      members = members.map { $0.node == key ? SwarmMember(node: key, outcome) : $0 }
    case .omit(let key): members.removeAll { $0.node == key }
    case .invent: members.append(try SwarmMember(success, for: request, by: .random()))
    case .forge: members = members.map { $0.node == node ? $0 : $0.forged }
    default: break
    }
    return StorageResult(.reply(.members(members)))
  }
}

extension SwarmMember {
  fileprivate var forged: SwarmMember {
    guard case .done(let success, var signature) = outcome else { return self }
    signature[7] ^= 1
    return SwarmMember(node: node, .done(success, signature: signature))
  }
}

extension [LoopbackNetwork.Member] {
  fileprivate var named: StorageSwarm {
    StorageSwarm(id: first?.record.swarm ?? NodeRecord.noSwarm, nodes: map(\.record))
  }
}

extension LoopbackStorage.State {
  fileprivate func rows(
    of request: StorageRequest, _ isMeant: (LoopbackStorage.Row) -> Bool
  ) -> [LoopbackStorage.Row] {
    rows.filter { $0.account == request.account && isMeant($0) }
  }

  fileprivate func index(of hash: String, for request: StorageRequest) -> Int? {
    rows.firstIndex { $0.account == request.account && $0.message.hash == hash }
  }

  fileprivate mutating func expire(_ index: Int, at expiry: UInt64) -> LoopbackStorage.Row {
    let old = rows[index].message
    rows[index].message = SessionCore.StoredMessage(
      hash: old.hash, timestamp: old.timestamp, expiry: expiry, data: old.data)
    return rows[index]
  }
}

extension LoopbackStorage.Row {
  fileprivate func isIn(_ wanted: Int16?) -> Bool { wanted == nil || namespace == wanted }
}

extension [LoopbackStorage.Row] {
  fileprivate var changes: [StorageChange] {
    sorted { ($0.namespace, $0.message.hash) < ($1.namespace, $1.message.hash) }.map {
      StorageChange(hash: $0.message.hash, namespace: $0.namespace, expiry: $0.message.expiry)
    }
  }
}
