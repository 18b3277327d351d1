public import SessionCore

/// Swarms as a network reaches them.
public struct NetworkSwarms: SwarmService {
  /// How long a request may take in all, waiting for a path included.
  public static let patience = Duration.seconds(60)
  /// The timeout of a poll; after it another node is polled.
  public static let pollPatience = Duration.seconds(15)

  /// Whether nodes of the own swarm tell by themselves of what is new.
  public enum Watching: Sendable {
    /// They are only asked, over onion paths: no node learns where this machine is.
    case never
    /// Keeps a direct connection to one of them, which shows it our address along with the account.
    case directly
  }

  public let watch: (any SwarmWatch)?
  private let network: Network
  /// True if a user waits for the replies.
  private var isInteractive: Bool

  /// By default nodes of private networks notify us; other networks are polled.
  public init(_ network: Network, watching: Watching? = nil, isInteractive: Bool = false) {
    self.network = network
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

  public func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmHarvest {
    let (batch, first, places) = poll.batch()
    let answer = try await send(batch, to: .node(node), within: Self.pollPatience)
    var crops: [StorageNamespace: Result<SwarmHarvest.Crop, NetworkFailure>] = [:]
    for (namespace, place) in places {
      crops[namespace] = answer.reply[place].map { SwarmHarvest.Crop($0) }.mapError { NetworkFailure($0) }
    }
    var extended: Set<String>?
    if let first, case .success(let outcome) = answer.reply[first], !outcome.deeds.isEmpty {
      extended = Set(outcome.deeds.flatMap { $0.changed.map(\.hash) + $0.unchanged.map(\.hash) })
    }
    return SwarmHarvest(node: answer.node.key.hex, crops, extended: extended)
  }

  public func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] {
    let outcome = try await send(Storage.Expire(hashes, at: expiry, .shorten, as: signer)).reply
    guard !outcome.deeds.isEmpty else { throw NetworkFailure(of: outcome) }
    var expiries: [String: MessageTime] = [:]
    for deed in outcome.deeds {
      for change in deed.changed + deed.unchanged {
        guard let expiry = change.expiry else { continue }
        expiries[change.hash] = min(expiries[change.hash] ?? expiry, expiry)
      }
    }
    return expiries
  }

  public func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] {
    try await send(Storage.Expiries(of: hashes, as: signer)).reply
  }

  private func send<Request: Storage.Request>(
    _ request: Request, to destination: Network.Destination? = nil, within patience: Duration = Self.patience
  ) async throws(NetworkFailure) -> Network.Answer<Request.Reply> {
    try await classified { () async throws(SessionError) in
      try await network.send(
        request, to: destination, Network.Delivery(isInteractive: isInteractive, overall: patience))
    }
  }

  private func classified<R>(
    _ body: () async throws(SessionError) -> R
  ) async throws(NetworkFailure) -> R {
    do throws(SessionError) { return try await body() } catch { throw NetworkFailure(error) }
  }
}

// MARK: - Changing

extension NetworkSwarms {
  public func changeAtOnce(
    _ swarm: SessionID, storing parcels: [SwarmParcel], deleting hashes: [String], as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> SwarmChanges {
    var swarms = self
    swarms.isInteractive = true
    return try await swarms.change(swarm, storing: parcels, deleting: hashes, as: signer)
  }

  public func change(
    _ swarm: SessionID, storing parcels: [SwarmParcel], deleting hashes: [String], as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> SwarmChanges {
    var stored: [Result<MessageTime, NetworkFailure>] = []
    var failure: NetworkFailure?
    for part in parcels.parts(of: Storage.Batch.maxCount) where failure == nil {
      let results = try await store(part, in: swarm, as: signer)
      stored += results
      failure = results.lazy.compactMap { $0.failure }.first
    }
    if let failure {
      stored += Array(repeating: .failure(failure), count: parcels.count - stored.count)
      return SwarmChanges(stored: stored, deleted: hashes.isEmpty ? nil : false)
    }
    guard !hashes.isEmpty, let signer else { return SwarmChanges(stored: stored, deleted: nil) }
    var deleted = true
    for part in hashes.parts(of: Self.maxDeleted) {
      deleted = await delete(Array(part), as: signer) && deleted
    }
    return SwarmChanges(stored: stored, deleted: deleted)
  }

  /// How many messages are deleted at once.
  private static let maxDeleted = 500

  /// Hashes that are not there, and nodes that do not answer, are no reason to keep anybody waiting.
  private func delete(_ hashes: [String], as signer: Storage.Signer) async -> Bool {
    do throws(NetworkFailure) {
      return try await send(Storage.Delete(hashes, as: signer)).reply.isEnough
    } catch {
      return false
    }
  }

  private func store(
    _ parcels: ArraySlice<SwarmParcel>, in swarm: SessionID, as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> [Result<MessageTime, NetworkFailure>] {
    func request(_ parcel: SwarmParcel) -> Storage.Store {
      guard let signer else {
        return Storage.Store(parcel.data, to: swarm, in: parcel.namespace, lifetime: parcel.lifetime)
      }
      return Storage.Store(parcel.data, as: signer, in: parcel.namespace, lifetime: parcel.lifetime)
    }
    if parcels.count == 1, let parcel = parcels.first {
      return [judge(try await send(request(parcel)).reply)]
    }
    var batch = Storage.Batch(.sequence)
    let places = parcels.map { batch.add(request($0)) }
    let results = try await send(batch).reply
    var failure: NetworkFailure?
    return places.map { place in
      if let failure { return .failure(failure) }
      let result = results[place].mapError { NetworkFailure($0) }.flatMap { judge($0) }
      failure = result.failure
      return result
    }
  }

  /// Whether enough of a swarm keeps something, and until when.
  private func judge(_ outcome: Storage.Outcome<Storage.Stored>) -> Result<MessageTime, NetworkFailure> {
    guard outcome.isEnough, let expiry = outcome.deeds.map(\.expiry).max() else {
      return .failure(NetworkFailure(of: outcome))
    }
    return .success(expiry)
  }
}

extension NetworkFailure {
  /// Why too few nodes of a swarm did something: what any of them says that will not change, or else that they may yet.
  fileprivate init<Deed>(of outcome: Storage.Outcome<Deed>) {
    let reasons = outcome.failures.map { NetworkFailure($0.reason) }
    self =
      reasons.first { !$0.isWorthRepeating } ?? reasons.first
      ?? NetworkFailure(.transient, "too few nodes of the swarm answered")
  }
}

extension Result {
  fileprivate var failure: Failure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
}

extension Array {
  /// The same in pieces of so many at most.
  fileprivate func parts(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
