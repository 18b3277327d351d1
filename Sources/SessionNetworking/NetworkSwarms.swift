public import SessionCore

/// Calls swarms through a network.
public struct NetworkSwarms: SwarmService {
  /// The time limit of a request, including waiting for a path.
  public static let timeout = Duration.seconds(60)
  /// The timeout of a poll; after it another node is polled.
  public static let pollTimeout = Duration.seconds(15)

  /// When nodes of the account's own swarm notify this device of new messages.
  public enum Watching: Sendable {
    /// Nodes are only polled, over onion paths: no node learns the address of this machine.
    case never
    /// Keeps a direct connection to a node, which learns our address together with the account.
    case directly
  }

  public let watch: (any SwarmWatch)?
  public let network: Network
  public let account: Network.LocalAccount
  /// True if a user waits for the replies.
  private var isInteractive: Bool

  /// By default nodes of private networks notify us; other networks are polled.
  public init(
    _ network: Network, for account: Network.LocalAccount = Network.LocalAccount(),
    watching: Watching? = nil, isInteractive: Bool = false
  ) {
    self.network = network
    self.account = account
    self.isInteractive = isInteractive
    let watching = watching ?? (network.kind == .private ? .directly : .never)
    watch = watching == .directly ? NetworkWatch(network) : nil
  }

  public var time: MessageTime? {
    network.currentStatus.clockOffset == nil ? nil : try? network.time
  }

  public func learnTime() async {
    for await status in network.status {
      if status.clockOffset != nil || status.state == .offline || Task.isCancelled { return }
    }
  }

  public var reachability: AsyncStream<Bool> {
    let status = network.status
    return AsyncStream { continuation in
      let task = Task {
        for await status in status { continuation.yield(status.state == .connected) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  public func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] {
    try await classified { () async throws(SessionError) in
      try await network.swarm(of: swarm).map(\.key)
    }
  }

  public func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply {
    let (batch, first, places) = poll.batch()
    let answer = try await send(batch, to: .node(node), within: Self.pollTimeout)
    var pages: [StorageNamespace: Result<SwarmReply.Page, NetworkFailure>] = [:]
    for (namespace, place) in places {
      pages[namespace] = answer.reply[place].map { SwarmReply.Page($0) }.mapError { NetworkFailure($0) }
    }
    var extended: Set<String>?
    if let first, case .success(let outcome) = answer.reply[first], !outcome.successes.isEmpty {
      extended = Set(outcome.successes.flatMap { $0.changed.map(\.hash) + $0.unchanged.map(\.hash) })
    }
    return SwarmReply(node: answer.node.key.hex, pages, extended: extended)
  }

  public func published(
    _ namespaces: [StorageNamespace], of account: SessionID, at node: [UInt8]
  ) async throws(NetworkFailure) -> [StorageNamespace: [SwarmMessage]] {
    var batch = Storage.Batch()
    let places = namespaces.map { namespace in
      (namespace, batch.add(Storage.Retrieve(namespace, of: account, limit: .part(namespaces.count))))
    }
    let results = try await send(batch, to: .node(node), within: Self.pollTimeout).reply
    var found: [StorageNamespace: [SwarmMessage]] = [:]
    for (namespace, place) in places {
      switch results[place] {
      case .success(let page): found[namespace] = page.messages.map { SwarmMessage($0) }
      case .failure(let error): throw NetworkFailure(error)
      }
    }
    return found
  }

  public func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> ShortenedExpiries {
    let outcome = try await send(Storage.Expire(hashes, at: expiry, .shorten, as: signer)).reply
    guard !outcome.successes.isEmpty else { throw NetworkFailure(of: outcome) }
    var expiries: [String: MessageTime] = [:]
    for success in outcome.successes {
      for change in success.changed + success.unchanged {
        guard let expiry = change.expiry else { continue }
        expiries[change.hash] = min(expiries[change.hash] ?? expiry, expiry)
      }
    }
    return ShortenedExpiries(expiries, isSignedByAll: outcome.isEnough)
  }

  public func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] {
    try await send(Storage.Expiries(of: hashes, as: signer)).reply
  }

  private func send<Request: Storage.Request>(
    _ request: Request, to destination: Network.Destination? = nil, within timeout: Duration = Self.timeout
  ) async throws(NetworkFailure) -> Network.Answer<Request.Reply> {
    try await classified { () async throws(SessionError) in
      try await network.send(
        request, to: destination,
        Network.Delivery(for: account, isInteractive: isInteractive, overall: timeout))
    }
  }

  private func classified<R>(
    _ body: () async throws(SessionError) -> R
  ) async throws(NetworkFailure) -> R {
    do throws(SessionError) { return try await body() } catch { throw NetworkFailure(error) }
  }
}

// MARK: - Steps

extension NetworkSwarms {
  public func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] {
    var swarms = self
    if atOnce { swarms.isInteractive = true }
    guard signer != nil || !steps.contains(where: \.needsSigner) else {
      throw NetworkFailure(.unauthorized, "this call needs the keys of the account")
    }
    var results: [SwarmStepResult] = []
    for start in stride(from: 0, to: steps.count, by: Storage.Batch.maxCount) {
      let part = steps[start..<min(start + Storage.Batch.maxCount, steps.count)]
      do throws(NetworkFailure) {
        results += try await swarms.sequence(part, in: swarm, as: signer)
      } catch {
        // Earlier results count, even if the rest are unknown.
        guard start > 0 else { throw error }
        results.append(.failed(error))
      }
      guard results.allSatisfy(\.isDone) else { break }
    }
    return results + Array(repeating: .notDone, count: steps.count - results.count)
  }

  /// Sends as many steps as fit into one request. The results before a failed step count as done.
  private func sequence(
    _ steps: ArraySlice<SwarmStep>, in swarm: SessionID, as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> [SwarmStepResult] {
    var batch = Storage.Batch(.sequence)
    var readers: [@Sendable (Storage.Results) -> SwarmStepResult] = []
    for step in steps {
      switch step {
      case .store(let item):
        let request = item.request(to: swarm, as: signer)
        if steps.count == 1 {
          let answer = try await send(request)
          return [SwarmStepResult(answer.reply).by(answer.node.key)]
        }
        let place = batch.add(request)
        readers.append { SwarmStepResult(of: $0[place]) { SwarmStepResult($0) } }
      case .delete(let hashes):
        guard let signer else { continue }
        let request = Storage.Delete(hashes, as: signer)
        if steps.count == 1 {
          let answer = try await send(request)
          return [SwarmStepResult(of: answer.reply).by(answer.node.key)]
        }
        let place = batch.add(request)
        readers.append { SwarmStepResult(of: $0[place]) { SwarmStepResult(of: $0) } }
      case .deleteAll(let namespace):
        guard let signer else { continue }
        let place = batch.add(Storage.DeleteAll(.one(namespace), as: signer))
        readers.append { SwarmStepResult(of: $0[place]) { SwarmStepResult(of: $0) } }
      case .unrevoke(let tokens):
        guard let signer else { continue }
        let place = batch.add(Storage.Unrevoke(tokens, as: signer))
        readers.append { SwarmStepResult(of: $0[place]) { SwarmStepResult(of: $0) } }
      case .revoke(let tokens):
        guard let signer else { continue }
        let place = batch.add(Storage.Revoke(tokens, as: signer))
        readers.append { SwarmStepResult(of: $0[place]) { SwarmStepResult(of: $0) } }
      }
    }
    let answer = try await send(batch)
    return readers.map { read in read(answer.reply).by(answer.node.key) }
  }
}

extension SwarmStep {
  fileprivate var needsSigner: Bool {
    guard case .store = self else { return true }
    return false
  }
}

extension SwarmItem {
  fileprivate func request(to swarm: SessionID, as signer: Storage.Signer?) -> Storage.Store {
    guard let signer else { return Storage.Store(data, to: swarm, in: namespace, lifetime: lifetime) }
    return Storage.Store(data, as: signer, in: namespace, lifetime: lifetime)
  }
}

extension SwarmStepResult {
  /// The same result, as a node reported it.
  fileprivate func by(_ node: [UInt8]) -> SwarmStepResult {
    guard case .failed(let failure) = self else { return self }
    return .failed(failure.by(node))
  }

  /// The result of one request of a sequence; `notFound` for requests after the one that failed.
  fileprivate init<Reply>(of result: Result<Reply, SessionError>, _ judge: (Reply) -> SwarmStepResult) {
    switch result {
    case .success(let reply): self = judge(reply)
    case .failure(let error) where error.code == .notFound && error.refusal == nil: self = .notDone
    case .failure(let error): self = .failed(NetworkFailure(error))
    }
  }

  /// A message counts as stored if half of the swarm stored it.
  fileprivate init(_ outcome: Storage.Outcome<Storage.Stored>) {
    guard outcome.isEnough, let expiry = outcome.successes.map(\.expiry).max() else {
      self = .failed(NetworkFailure(of: outcome))
      return
    }
    self = .done(members: outcome.successes.count, of: outcome.swarmSize, until: expiry)
  }

  /// One member is enough here; the caller may require more.
  fileprivate init<Success>(of outcome: Storage.Outcome<Success>) {
    let count = outcome.successes.count
    self =
      count == 0
      ? .failed(NetworkFailure(of: outcome)) : .done(members: count, of: outcome.swarmSize, until: nil)
  }
}

extension NetworkFailure {
  /// The reason why too few nodes of a swarm succeeded: a permanent failure of any node, otherwise that they may
  /// yet succeed.
  fileprivate init<Success>(of outcome: Storage.Outcome<Success>) {
    let reasons = outcome.failures.map { NetworkFailure($0.reason) }
    self =
      reasons.first { !$0.isWorthRepeating } ?? reasons.first
      ?? NetworkFailure(.transient, "too few nodes of the swarm replied")
  }
}
