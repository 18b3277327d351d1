import SessionCore
import SessionNetworking
import Synchronization

/// The swarms of everybody, in memory: each is two nodes that have the same, and do what a test says.
final class MemorySwarms: SwarmService {
  struct Kept: Sendable {
    let namespace: StorageNamespace
    var message: SwarmMessage
  }

  /// What becomes of a change of a swarm.
  enum Fate: Sendable {
    case done
    case refused(NetworkFailure)
    /// It is done, but the reply is lost.
    case lost
    /// It is done once the test releases it.
    case held
  }

  /// A request to store something, whatever became of it.
  struct Attempt: Sendable {
    let swarm: SessionID
    let parcels: [SwarmParcel]
    let signer: Storage.Signer?
  }

  private struct State {
    var swarms: [SessionID: [Kept]] = [:]
    /// What each swarm was ever asked to keep, and may still have.
    var known: [SessionID: Set<String>] = [:]
    var fate: @Sendable (SessionID, [SwarmParcel]) -> Fate = { _, _ in .done }
    var stepResult: @Sendable (SwarmStep) -> SwarmStepResult? = { _ in nil }
    var recorded: (swarm: SessionID, steps: [[SwarmStep]])?
    var pollFailure: NetworkFailure?
    var deadSwarms: [SessionID: NetworkFailure] = [:]
    var failedPolls: [SessionID: Int] = [:]
    /// Polls of groups that are under way, and the most that ever were; nil if they are not counted.
    var groupPolls: (now: Int, most: Int)?
    var failingNamespaces: Set<StorageNamespace> = []
    var namespaceFailure = NetworkFailure(.transient, "the namespace failed")
    var failsMembersOnly = false
    var refusingNode: [UInt8]?
    var refusals = 0
    var polls: [SessionID: Int] = [:]
    var changes = 0
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

  func decide(_ fate: @escaping @Sendable (SessionID, [SwarmParcel]) -> Fate) {
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

  /// Returns when a change waits.
  func untilHeld() async { await gate.untilHeld() }

  func failPolls(_ failure: NetworkFailure?) { state.withLock { $0.pollFailure = failure } }

  func failPolls(of swarm: SessionID, _ failure: NetworkFailure?) {
    state.withLock { $0.deadSwarms[swarm] = failure }
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

  /// The requests to store something in a namespace, in their order.
  func attempts(in swarm: SessionID, _ namespace: StorageNamespace) -> [Attempt] {
    state.withLock { state in
      state.attempts.filter { attempt in
        attempt.swarm == swarm && attempt.parcels.contains { $0.namespace == namespace }
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
    let parcel = SwarmParcel(data, in: namespace, for: lifetime)
    keep(parcel, in: swarm)
    return parcel.hash(in: swarm)
  }

  @discardableResult
  private func keep(_ parcel: SwarmParcel, in swarm: SessionID) -> MessageTime? {
    let hash = parcel.hash(in: swarm)
    let now = clock.now
    guard let time = self.now,
      let expiry = try? MessageTime(milliseconds: UInt64(now + parcel.lifetime.milliseconds))
    else { return nil }
    state.withLock { state in
      let isThere =
        state.known[swarm, default: []].contains(hash)
        && state.swarms[swarm, default: []].contains {
          $0.message.hash == hash && $0.namespace == parcel.namespace
        }
      guard !isThere else { return }
      state.known[swarm, default: []].insert(hash)
      let message = SwarmMessage(hash: hash, data: parcel.data, storedAt: time, expiresAt: expiry)
      state.swarms[swarm, default: []].append(Kept(namespace: parcel.namespace, message: message))
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

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmHarvest {
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

  private func answer(_ poll: SwarmPoll, at node: [UInt8]) throws(NetworkFailure) -> SwarmHarvest {
    let now = clock.now
    let result = state.withLock { state -> Result<SwarmHarvest, NetworkFailure> in
      let swarm = poll.signer.account
      state.polls[swarm, default: 0] += 1
      if let failure = state.pollFailure ?? state.deadSwarms[swarm] {
        state.failedPolls[swarm, default: 0] += 1
        return .failure(failure)
      }
      state.swarms[swarm]?.removeAll { Int64($0.message.expiresAt.milliseconds) <= now }
      let all = state.swarms[swarm] ?? []
      var crops: [StorageNamespace: Result<SwarmHarvest.Crop, NetworkFailure>] = [:]
      let isRefused = node == state.refusingNode && poll.signer.isMember
      if isRefused { state.refusals += 1 }
      for position in poll.positions {
        guard !isRefused else {
          crops[position.namespace] = .failure(NetworkFailure(.unauthorized, "no such access"))
          continue
        }
        let isSpared = state.failsMembersOnly && !poll.signer.isMember
        guard isSpared || !state.failingNamespaces.contains(position.namespace) else {
          crops[position.namespace] = .failure(state.namespaceFailure)
          continue
        }
        let there = all.filter { $0.namespace == position.namespace }.map(\.message)
        let start = there.firstIndex { $0.hash == position.lastHash }.map { $0 + 1 } ?? 0
        let found = Array(there[start...].prefix(state.pageSize))
        crops[position.namespace] = .success(
          SwarmHarvest.Crop(found, hasMore: start + found.count < there.count))
      }
      let extended = poll.extending.map { extending in
        Set(all.map(\.message.hash)).intersection(extending.hashes)
      }
      let harvest = SwarmHarvest(node: node.hex, crops, extended: extended)
      state.largestAnswer = max(state.largestAnswer, harvest.count)
      return .success(harvest)
    }
    return try result.get()
  }

  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] {
    let fate = state.withLock { state in
      state.changes += 1
      if state.recorded?.swarm == swarm { state.recorded?.steps.append(steps) }
      state.attempts.append(Attempt(swarm: swarm, parcels: steps.compactMap(\.parcel), signer: signer))
      return state.fate
    }(swarm, steps.compactMap(\.parcel))
    if case .refused(let failure) = fate { throw failure }
    if case .held = fate { await gate.wait() }
    var hasFailed = false
    let results = steps.map { step -> SwarmStepResult in
      guard !hasFailed else { return .notDone }
      let result = state.withLock { $0.stepResult }(step) ?? perform(step, in: swarm)
      hasFailed = !result.isDone
      return result
    }
    if case .lost = fate { throw NetworkFailure(.transient, "the reply was lost") }
    return results
  }

  private func perform(_ step: SwarmStep, in swarm: SessionID) -> SwarmStepResult {
    switch step {
    case .store(let parcel):
      guard let expiry = keep(parcel, in: swarm) else {
        return .failed(NetworkFailure(.rejected, "there is no such time"))
      }
      return .done(members: 1, of: 1, until: expiry)
    case .delete(let hashes):
      state.withLock { state in state.swarms[swarm]?.removeAll { hashes.contains($0.message.hash) } }
      return .done(members: 1, of: 1, until: nil)
    case .deleteAll(let namespace):
      state.withLock { state in state.swarms[swarm]?.removeAll { $0.namespace == namespace } }
      return .done(members: 1, of: 1, until: nil)
    case .unrevoke, .revoke:
      return .done(members: 1, of: 1, until: nil)
    }
  }

  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] {
    state.withLock { state in
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
      return kept
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

extension Duration {
  fileprivate var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}

extension Storage.Signer {
  /// True for a member of a group who is no admin.
  fileprivate var isMember: Bool { "\(self)".contains("member") }
}

extension SwarmStep {
  fileprivate var parcel: SwarmParcel? {
    guard case .store(let parcel) = self else { return nil }
    return parcel
  }
}
