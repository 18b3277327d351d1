import SessionCore
import SessionEndpoint
import Synchronization

/// Subscriptions to nodes of a network, over one outgoing connection to each. Nothing connects to this machine.
final class NetworkWatch: SwarmWatch {
  private struct State {
    var endpoint: NetworkEndpoint?
    var readers: [Int: (account: SessionID, notices: AsyncStream<SwarmNotice>.Continuation)] = [:]
    var lastReader = 0
    /// The key of the last node that was asked to notify, for each account.
    var tellers: [SessionID: [UInt8]] = [:]
  }

  /// The timeout of a reply.
  private static let timeout = Duration.seconds(10)
  /// The number of notices that wait for a reader; the oldest are dropped first.
  private static let maxWaiting = 16

  private let network: Network
  private let state = Mutex(State())

  init(_ network: Network) {
    self.network = network
  }

  func begin(
    as signer: Storage.Signer, _ namespaces: [StorageNamespace], at node: [UInt8]
  ) async throws(NetworkFailure) {
    let refusal: Storage.Subscriptions.Refusal?
    do throws(SessionError) { refusal = try await subscribe(node, signer, namespaces) } catch {
      throw NetworkFailure(error)
    }
    if let refusal { throw NetworkFailure(refusal) }
  }

  func notices(of account: SessionID) -> AsyncStream<SwarmNotice> {
    let (stream, notices) = AsyncStream.makeStream(
      of: SwarmNotice.self, bufferingPolicy: .bufferingNewest(Self.maxWaiting))
    let number = state.withLock { state in
      state.lastReader += 1
      state.readers[state.lastReader] = (account, notices)
      return state.lastReader
    }
    notices.onTermination = { [weak self] _ in self?.leave(number) }
    return stream
  }

  private func leave(_ number: Int) {
    let unused = state.withLock { state -> NetworkEndpoint? in
      guard let reader = state.readers.removeValue(forKey: number) else { return nil }
      if !state.readers.values.contains(where: { $0.account == reader.account }) {
        state.tellers[reader.account] = nil
      }
      return state.readers.isEmpty ? state.endpoint.take() : nil
    }
    if let unused { Task { await unused.stop() } }
  }
}

// MARK: - Requests and notifications

extension NetworkWatch {
  private func subscribe(
    _ node: [UInt8], _ signer: Storage.Signer, _ namespaces: [StorageNamespace]
  ) async throws(SessionError) -> Storage.Subscriptions.Refusal? {
    guard let place = try await network.swarm(of: signer.account).first(where: { $0.key == node }) else {
      return .otherSwarm
    }
    let wish = try Storage.Subscription(to: namespaces, as: signer, wantsData: false, at: network.time)
    let body = try Storage.Subscriptions.request([wish])
    let endpoint = try open(to: node, for: signer.account)
    let reply = try await endpoint.request(
      Storage.Subscriptions.command, body: body, to: NetworkPeer(address: place.address, key: node),
      timeout: Self.timeout)
    guard case .failure(let refusal)? = try Storage.Subscriptions.answers(reply, to: [wish]).first else {
      return nil
    }
    return refusal
  }

  private func open(to node: [UInt8], for account: SessionID) throws(SessionError) -> NetworkEndpoint {
    try state.withLock { (state) throws(SessionError) in
      state.tellers[account] = node
      if let endpoint = state.endpoint { return endpoint }
      var options = NetworkEndpoint.Options(handlers: [
        Storage.Event.command: { [weak self] request in
          self?.hear(request.body)
          return []
        },
        Storage.Event.endCommand: { [weak self] request in
          if let node = request.peerKey { self?.end(at: node) }
          return []
        },
      ])
      options.acceptsPeers = false
      options.idleClose = .zero
      let endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "0.0.0.0:0"), options: options)
      state.endpoint = endpoint
      Task { [weak self, events = endpoint.events] in
        for await case .closed(let peer, _) in events { self?.end(at: peer.key) }
      }
      return endpoint
    }
  }

  private func hear(_ body: [UInt8]) {
    guard let event = try? Storage.Event(parsing: body) else { return }
    tell(.news) { account, _ in account == event.account }
  }

  /// Ends subscriptions at a node: for one account that it no longer stores, or for all because it is gone. The
  /// subscriber then moves to another node.
  private func end(at node: [UInt8]) {
    tell(.ended) { _, notifier in notifier == node }
  }

  private func tell(
    _ notice: SwarmNotice, where isMeant: (_ account: SessionID, _ notifier: [UInt8]?) -> Bool
  ) {
    let meant = state.withLock { state in
      state.readers.values.filter { isMeant($0.account, state.tellers[$0.account]) }.map(\.notices)
    }
    for notices in meant { notices.yield(notice) }
  }
}

extension NetworkFailure {
  /// The reason why a node refuses to notify.
  fileprivate init(_ refusal: Storage.Subscriptions.Refusal) {
    switch refusal {
    case .time: self.init(.clock, "a node rejected the time of this machine")
    case .otherSwarm: self.init(.transient, "the account is in another swarm")
    case .arguments, .account, .namespaces, .signature:
      self.init(.rejected, "a node refused a subscription: \(refusal)")
    }
  }
}
