import SessionCore
import SessionNetworking
import Synchronization

/// The swarms of everybody, in memory: each is two nodes that have the same, unless one of them was dead, and do what a
/// test says.
final class MemorySwarms: SwarmService {
  struct Kept: Sendable {
    let namespace: StorageNamespace
    var message: SwarmMessage
    /// When each node has it; nil for a node that deleted it.
    var arrivals: [Int64?]
  }

  /// The result of a change of a swarm.
  enum Fate: Sendable {
    case done
    case refused(NetworkFailure)
    /// It is done, but the reply is lost.
    case lost
    /// That many steps are done, and no reply comes.
    case cutOff(after: Int)
    /// It is done once the test releases it.
    case held
    /// It is done, and the reply comes once the test releases it.
    case answeredLate
    /// The sender gives up, and it is done that many milliseconds later.
    case doneLate(Int64)
  }

  /// A node that does not answer.
  fileprivate struct DeadNode {
    let swarm: SessionID
    let node: Int
    /// When it answers again, and when it has what was stored meanwhile.
    let revives: Int64
    let hasCaughtUp: Int64
  }

  /// A request whose sender has given it up.
  fileprivate struct LateRequest {
    let time: Int64
    let swarm: SessionID
    let steps: [SwarmStep]
  }

  /// A request to change a swarm, whatever became of it.
  struct Attempt: Sendable {
    let swarm: SessionID
    let items: [SwarmItem]
    let signer: Storage.Signer?
  }

  fileprivate struct State {
    var swarms: [SessionID: [Kept]] = [:]
    /// The hashes that each swarm was asked to store, and may still have.
    var known: [SessionID: Set<String>] = [:]
    var fate: @Sendable (SessionID, [SwarmItem]) -> Fate = { _, _ in .done }
    var stepResult: @Sendable (SwarmStep) -> SwarmStepResult? = { _ in nil }
    var recorded: (swarm: SessionID, steps: [[SwarmStep]])?
    var pollFailure: NetworkFailure?
    var deadSwarms: [SessionID: NetworkFailure] = [:]
    var deadNodes: [DeadNode] = []
    var lateRequests: [LateRequest] = []
    /// True once nodes may have different messages, in different orders.
    var nodesDiffer = false
    var failedPolls: [SessionID: Int] = [:]
    var readings: [SessionID: Int] = [:]
    var published: @Sendable (SessionID, Int) -> [SwarmMessage]? = { _, _ in nil }
    /// Polls of groups that are under way, and the most that ever were; nil if they are not counted.
    var groupPolls: (now: Int, most: Int)?
    var failingNamespaces: Set<StorageNamespace> = []
    var namespaceFailure = NetworkFailure(.transient, "the namespace failed")
    var failsMembersOnly = false
    var refusingNode: [UInt8]?
    var refusals = 0
    var polls: [SessionID: Int] = [:]
    var changes = 0
    var shortenings = 0
    var attempts: [Attempt] = []
    var isReachable = true
    var isTimeKnown = true
    var isReachabilityHeld = false
    var watch: (any SwarmWatch)?
    var readers: [AsyncStream<Bool>.Continuation] = []
    var pageSize = 1000
    var largestAnswer = 0
  }

  static let nodes: [[UInt8]] = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]

  private let clock: VirtualClock
  private let state = Mutex(State())
  private let gate = Gate()
  private let reachabilityGate = Gate()

  init(_ clock: VirtualClock) { self.clock = clock }

  var time: MessageTime? { state.withLock { $0.isTimeKnown } ? now : nil }

  func learnTime() async { state.withLock { $0.isTimeKnown = $0.isTimeKnown || $0.isReachable } }

  private var now: MessageTime? { try? MessageTime(milliseconds: UInt64(clock.now)) }

  // MARK: What tests say

  func decide(_ fate: @escaping @Sendable (SessionID, [SwarmItem]) -> Fate) {
    state.withLock { $0.fate = fate }
  }

  /// Has steps end in another way than they would: nil for the usual one. Nothing behind one that fails is done.
  func failSteps(_ result: @escaping @Sendable (SwarmStep) -> SwarmStepResult?) {
    state.withLock { $0.stepResult = result }
  }

  /// Records the sequences requested from a swarm from now on.
  func recordSteps(in swarm: SessionID) { state.withLock { $0.recorded = (swarm, []) } }
  var recordedSteps: [[SwarmStep]] { state.withLock { $0.recorded?.steps ?? [] } }

  /// Lets the changes that wait go on.
  func release() { gate.release() }

  /// Lets changes wait, or go on: also those that begin later.
  func setHolding(_ holds: Bool) { gate.setOpen(!holds) }

  /// Returns when a change waits.
  func untilHeld() async { await gate.untilHeld() }

  func failPolls(_ failure: NetworkFailure?) { state.withLock { $0.pollFailure = failure } }

  func failPolls(of swarm: SessionID, _ failure: NetworkFailure?) {
    state.withLock { $0.deadSwarms[swarm] = failure }
  }

  /// Has a node of a swarm not answer for a while. It gets what was stored meanwhile some time later.
  func kill(_ node: Int, of swarm: SessionID, for time: Int64, catchingUpAfter delay: Int64) {
    let revives = clock.now + time
    state.withLock { state in
      state.nodesDiffer = true
      state.deadNodes.append(
        DeadNode(swarm: swarm, node: node, revives: revives, hasCaughtUp: revives + delay))
    }
  }

  /// Has nodes refuse some namespaces, and answer for the others: to everybody, or to members of groups only.
  func failNamespaces(
    _ namespaces: Set<StorageNamespace>,
    with failure: NetworkFailure = NetworkFailure(.transient, "the namespace failed"),
    toMembersOnly: Bool = false
  ) {
    state.withLock { state in
      state.namespaceFailure = failure
      state.failingNamespaces = namespaces
      state.failsMembersOnly = toMembersOnly
    }
  }

  /// Has one node refuse everything that members of groups ask; nil for none.
  func refuseMembers(at node: [UInt8]?) { state.withLock { $0.refusingNode = node } }

  /// How often that node refused a poll.
  var refusals: Int { state.withLock { $0.refusals } }

  func setPageSize(_ size: Int) { state.withLock { $0.pageSize = size } }

  /// Has nodes tell by themselves of what is new.
  func setWatch(_ watch: any SwarmWatch) { state.withLock { $0.watch = watch } }

  /// Says nothing of the network to devices that begin, until the test releases them.
  func holdReachability() { state.withLock { $0.isReachabilityHeld = true } }
  func releaseReachability() { reachabilityGate.release() }
  func untilReachabilityIsHeld() async { await reachabilityGate.untilHeld() }

  /// Has devices go by their own clocks until they ask for the time while there is a network.
  func forgetTime() { state.withLock { $0.isTimeKnown = false } }

  func setReachable(_ isReachable: Bool) {
    let readers = state.withLock { state in
      state.isReachable = isReachable
      return state.readers
    }
    for reader in readers { reader.yield(isReachable) }
  }

  /// Counts the polls of groups that are under way from now on.
  func countGroupPolls() { state.withLock { $0.groupPolls = (0, 0) } }

  /// Has nodes lose all messages of an account but the newest ones.
  func keepNewest(_ count: Int, of account: SessionID) {
    state.withLock { state in
      let all = state.swarms[account] ?? []
      let messages = all.filter { $0.namespace == .messages }
      state.swarms[account] = all.filter { $0.namespace != .messages } + messages.suffix(count)
    }
  }

  /// Has nodes give the newest messages of a swarm in the reverse order.
  func reverse(_ swarm: SessionID, newest count: Int) {
    state.withLock { state in
      let all = state.swarms[swarm] ?? []
      state.swarms[swarm] = all.dropLast(count) + all.suffix(count).reversed()
    }
  }

  // MARK: What tests see

  func kept(_ swarm: SessionID, in namespace: StorageNamespace = .messages) -> [SwarmMessage] {
    state.withLock { state in
      (state.swarms[swarm] ?? []).filter { $0.namespace == namespace }.map(\.message)
    }
  }

  var polls: Int { state.withLock { $0.polls.values.reduce(0, +) } }
  var failedPolls: Int { state.withLock { $0.failedPolls.values.reduce(0, +) } }
  var mostGroupPolls: Int { state.withLock { $0.groupPolls?.most ?? 0 } }
  func polls(of swarm: SessionID) -> Int { state.withLock { $0.polls[swarm, default: 0] } }
  var changes: Int { state.withLock { $0.changes } }
  var shortenings: Int { state.withLock { $0.shortenings } }

  /// True if a node is dead or behind, or a request that was given up is still to be done.
  var hasFaultsLeft: Bool {
    let now = clock.now
    return state.withLock { state in
      !state.lateRequests.isEmpty || state.deadNodes.contains { $0.hasCaughtUp > now }
    }
  }

  /// The requests to change a swarm, in their order.
  func attempts(in swarm: SessionID) -> [Attempt] {
    state.withLock { state in state.attempts.filter { $0.swarm == swarm } }
  }

  /// The requests to store something in a namespace, in their order.
  func attempts(in swarm: SessionID, _ namespace: StorageNamespace) -> [Attempt] {
    state.withLock { state in
      state.attempts.filter { attempt in
        attempt.swarm == swarm && attempt.items.contains { $0.namespace == namespace }
      }
    }
  }
  var largestAnswer: Int { state.withLock { $0.largestAnswer } }

  /// Puts something into a swarm, as anybody can.
  @discardableResult
  func put(
    _ data: [UInt8], to swarm: SessionID, in namespace: StorageNamespace = .messages,
    for lifetime: Duration = .seconds(1_209_600)
  ) -> String {
    let item = SwarmItem(data, in: namespace, for: lifetime)
    keep(item, in: swarm)
    return item.hash(in: swarm)
  }

  @discardableResult
  private func keep(_ item: SwarmItem, in swarm: SessionID) -> MessageTime? {
    let hash = item.hash(in: swarm)
    let now = clock.now
    guard let time = self.now,
      let expiry = try? MessageTime(milliseconds: UInt64(now + item.lifetime.milliseconds))
    else { return nil }
    state.withLock { state in
      let arrivals = state.arrivals(in: swarm, at: now)
      let isKnown = state.known[swarm, default: []].contains(hash)
      let place =
        isKnown
        ? state.swarms[swarm, default: []].firstIndex {
          $0.message.hash == hash && $0.namespace == item.namespace
        } : nil
      guard let place else {
        state.known[swarm, default: []].insert(hash)
        // An outbox holds one message.
        if item.namespace.isOutbox { state.swarms[swarm]?.removeAll { $0.namespace == item.namespace } }
        let message = SwarmMessage(hash: hash, data: item.data, storedAt: time, expiresAt: expiry)
        state.swarms[swarm, default: []].append(
          Kept(namespace: item.namespace, message: message, arrivals: arrivals))
        return
      }
      // Nodes that have it keep its place.
      for (node, arrival) in arrivals.enumerated() {
        let known = state.swarms[swarm]?[place].arrivals[node] ?? .max
        state.swarms[swarm]?[place].arrivals[node] = min(known, arrival ?? .max)
      }
    }
    return expiry
  }

  // MARK: Service

  var reachability: AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    let (now, isHeld) = state.withLock { state in
      state.readers.append(continuation)
      return (state.isReachable, state.isReachabilityHeld)
    }
    guard isHeld else {
      continuation.yield(now)
      return stream
    }
    Task { [reachabilityGate] in
      await reachabilityGate.wait()
      continuation.yield(now)
    }
    return stream
  }

  var watch: (any SwarmWatch)? { state.withLock { $0.watch } }

  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] { Self.nodes }

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply {
    let isCounted = state.withLock { state in
      guard poll.signer.account.kind == .group, let polls = state.groupPolls else { return false }
      state.groupPolls = (polls.now + 1, max(polls.most, polls.now + 1))
      return true
    }
    // Others that may begin have begun by then.
    if isCounted { for _ in 0..<20 { await Task.yield() } }
    defer { if isCounted { state.withLock { $0.groupPolls?.now -= 1 } } }
    return try answer(poll, at: node)
  }

  private func answer(_ poll: SwarmPoll, at node: [UInt8]) throws(NetworkFailure) -> SwarmReply {
    let now = clock.now
    let number = Self.nodes.firstIndex(of: node) ?? 0
    performLate()
    let result = state.withLock { state -> Result<SwarmReply, NetworkFailure> in
      let swarm = poll.signer.account
      state.polls[swarm, default: 0] += 1
      if let failure = state.pollFailure ?? state.deadSwarms[swarm] {
        state.failedPolls[swarm, default: 0] += 1
        return .failure(failure)
      }
      guard !state.isDead(number, of: swarm, at: now) else {
        state.failedPolls[swarm, default: 0] += 1
        return .failure(NetworkFailure(.transient, "the node does not answer"))
      }
      state.swarms[swarm]?.removeAll { Int64($0.message.expiresAt.milliseconds) <= now }
      let all = state.messages(of: swarm, at: number, now)
      var pages: [StorageNamespace: Result<SwarmReply.Page, NetworkFailure>] = [:]
      let isRefused = node == state.refusingNode && poll.signer.isMember
      if isRefused { state.refusals += 1 }
      for position in poll.positions {
        guard !isRefused else {
          pages[position.namespace] = .failure(NetworkFailure(.unauthorized, "no such access"))
          continue
        }
        let isSpared = state.failsMembersOnly && !poll.signer.isMember
        guard isSpared || !state.failingNamespaces.contains(position.namespace) else {
          pages[position.namespace] = .failure(state.namespaceFailure)
          continue
        }
        let there = all.filter { $0.namespace == position.namespace }.map(\.message)
        let start = there.firstIndex { $0.hash == position.lastHash }.map { $0 + 1 } ?? 0
        let found = Array(there[start...].prefix(state.pageSize))
        pages[position.namespace] = .success(
          SwarmReply.Page(found, hasMore: start + found.count < there.count))
      }
      let extended = poll.extending.map { extending in
        Set(all.map(\.message.hash)).intersection(extending.hashes)
      }
      let reply = SwarmReply(node: node.hex, pages, extended: extended)
      state.largestAnswer = max(state.largestAnswer, reply.count)
      return .success(reply)
    }
    return try result.get()
  }

  func published(
    _ namespaces: [StorageNamespace], of account: SessionID, at node: [UInt8]
  ) async throws(NetworkFailure) -> [StorageNamespace: [SwarmMessage]] {
    let now = clock.now
    let number = Self.nodes.firstIndex(of: node) ?? 0
    let result = state.withLock { state -> Result<[StorageNamespace: [SwarmMessage]], NetworkFailure> in
      state.readings[account, default: 0] += 1
      if let failure = state.pollFailure ?? state.deadSwarms[account] { return .failure(failure) }
      let answer = state.published(account, number)
      state.swarms[account]?.removeAll { Int64($0.message.expiresAt.milliseconds) <= now }
      let there = state.messages(of: account, at: number, now)
      return .success(
        Dictionary(
          uniqueKeysWithValues: namespaces.map { namespace in
            (namespace, answer ?? there.filter { $0.namespace == namespace }.map(\.message))
          }))
    }
    return try result.get()
  }

  /// How often somebody read what an account has published.
  func readings(of account: SessionID) -> Int { state.withLock { $0.readings[account, default: 0] } }

  /// Replaces what nodes return of an account's bundles; nil for what they store.
  func answerPublished(_ answer: @escaping @Sendable (SessionID, _ node: Int) -> [SwarmMessage]?) {
    state.withLock { $0.published = answer }
  }

  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] {
    performLate()
    let fate = state.withLock { state in
      state.changes += 1
      if state.recorded?.swarm == swarm { state.recorded?.steps.append(steps) }
      state.attempts.append(Attempt(swarm: swarm, items: steps.compactMap(\.item), signer: signer))
      return state.fate
    }(swarm, steps.compactMap(\.item))
    if case .refused(let failure) = fate { throw failure }
    if case .doneLate(let time) = fate {
      let request = LateRequest(time: clock.now + time, swarm: swarm, steps: steps)
      state.withLock { $0.lateRequests.append(request) }
      throw NetworkFailure(.transient, "no reply came in time")
    }
    if case .held = fate { await gate.wait() }
    let now = clock.now
    let isAlive = state.withLock { state in
      Self.nodes.indices.contains { !state.isDead($0, of: swarm, at: now) }
    }
    guard isAlive else { throw NetworkFailure(.transient, "no node answers") }
    if case .cutOff(let count) = fate {
      _ = perform(Array(steps.prefix(count)), in: swarm)
      throw NetworkFailure(.transient, "the node died")
    }
    let results = perform(steps, in: swarm)
    if case .answeredLate = fate { await gate.wait() }
    if case .lost = fate { throw NetworkFailure(.transient, "the reply was lost") }
    return results
  }

  private func perform(_ steps: [SwarmStep], in swarm: SessionID) -> [SwarmStepResult] {
    var hasFailed = false
    return steps.map { step in
      guard !hasFailed else { return .notDone }
      let result = state.withLock { $0.stepResult }(step) ?? perform(step, in: swarm)
      hasFailed = !result.isDone
      return result
    }
  }

  /// Does what senders gave up some time ago.
  private func performLate() {
    let now = clock.now
    let due = state.withLock { state in
      guard !state.lateRequests.isEmpty else { return [LateRequest]() }
      let due = state.lateRequests.filter { $0.time <= now }
      state.lateRequests.removeAll { $0.time <= now }
      return due
    }
    for request in due { _ = perform(request.steps, in: request.swarm) }
  }

  private func perform(_ step: SwarmStep, in swarm: SessionID) -> SwarmStepResult {
    switch step {
    case .store(let item):
      guard let expiry = keep(item, in: swarm) else {
        return .failed(NetworkFailure(.rejected, "there is no such time"))
      }
      return .done(members: 1, of: 1, until: expiry)
    case .delete(let hashes):
      let now = clock.now
      state.withLock { $0.delete(in: swarm, at: now) { hashes.contains($0.message.hash) } }
      return signed(in: swarm)
    case .deleteAll(let namespace):
      let now = clock.now
      state.withLock { $0.delete(in: swarm, at: now) { $0.namespace == namespace } }
      return signed(in: swarm)
    case .unrevoke, .revoke: return signed(in: swarm)
    }
  }

  /// What the members that live have signed.
  private func signed(in swarm: SessionID) -> SwarmStepResult {
    let now = clock.now
    let dead = state.withLock { state in Self.nodes.indices.count { state.isDead($0, of: swarm, at: now) } }
    let count = Self.nodes.count
    return dead == 0
      ? .done(members: 1, of: 1, until: nil) : .done(members: count - dead, of: count, until: nil)
  }

  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> ShortenedExpiries {
    let now = clock.now
    return state.withLock { state in
      state.shortenings += 1
      var kept: [String: MessageTime] = [:]
      for index in (state.swarms[signer.account] ?? []).indices {
        guard let old = state.swarms[signer.account]?[index].message, hashes.contains(old.hash) else {
          continue
        }
        let end = min(old.expiresAt, expiry)
        state.swarms[signer.account]?[index].message = SwarmMessage(
          hash: old.hash, data: old.data, storedAt: old.storedAt, expiresAt: end)
        kept[old.hash] = end
      }
      return ShortenedExpiries(kept, isSignedByAll: !state.isAnyDead(in: signer.account, at: now))
    }
  }

  func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] {
    state.withLock { state in
      let there = (state.swarms[signer.account] ?? []).filter { hashes.contains($0.message.hash) }
      return Dictionary(there.map { ($0.message.hash, $0.message.expiresAt) }) { first, _ in first }
    }
  }
}

extension MemorySwarms.State {
  func isDead(_ node: Int, of swarm: SessionID, at now: Int64) -> Bool {
    deadNodes.contains { $0.swarm == swarm && $0.node == node && $0.revives > now }
  }

  func isAnyDead(in swarm: SessionID, at now: Int64) -> Bool {
    MemorySwarms.nodes.indices.contains { isDead($0, of: swarm, at: now) }
  }

  /// When each node gets what is stored now.
  func arrivals(in swarm: SessionID, at now: Int64) -> [Int64?] {
    MemorySwarms.nodes.indices.map { node in
      deadNodes.filter { $0.swarm == swarm && $0.node == node && $0.revives > now }.map(\.hasCaughtUp).max()
        ?? now
    }
  }

  /// The messages that a node keeps, in its order.
  func messages(of swarm: SessionID, at node: Int, _ now: Int64) -> [MemorySwarms.Kept] {
    let all = swarms[swarm] ?? []
    guard nodesDiffer else { return all }
    return all.enumerated().compactMap { place, kept in
      kept.arrivals[node].flatMap { $0 <= now ? (time: $0, place: place, kept: kept) : nil }
    }.sorted { ($0.time, $0.place) < ($1.time, $1.place) }.map(\.kept)
  }

  /// Deletes messages from the nodes that live; the others keep what they have.
  mutating func delete(
    in swarm: SessionID, at now: Int64, where isMeant: (MemorySwarms.Kept) -> Bool
  ) {
    guard nodesDiffer else {
      swarms[swarm]?.removeAll(where: isMeant)
      return
    }
    for place in (swarms[swarm] ?? []).indices {
      guard let kept = swarms[swarm]?[place], isMeant(kept) else { continue }
      for (node, arrival) in kept.arrivals.enumerated()
      where !isDead(node, of: swarm, at: now) || (arrival ?? .max) > now {
        swarms[swarm]?[place].arrivals[node] = nil
      }
    }
    swarms[swarm]?.removeAll { kept in kept.arrivals.allSatisfy { $0 == nil } }
  }
}

extension StorageNamespace {
  fileprivate var isOutbox: Bool { rawValue < 0 && -Int(rawValue) % 20 == 1 }
}

extension Duration {
  fileprivate var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}

extension Storage.Signer {
  /// True for a member of a group who is no admin.
  fileprivate var isMember: Bool { "\(self)".contains("member") }
}

extension SwarmStep {
  fileprivate var item: SwarmItem? {
    guard case .store(let item) = self else { return nil }
    return item
  }
}
