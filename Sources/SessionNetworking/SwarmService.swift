public import SessionCore

/// Calls to swarms. ``NetworkSwarms`` implements them with a network.
public protocol SwarmService: Sendable {
  /// The time for messages; nil while only the machine's clock is known.
  var time: MessageTime? { get }

  /// Returns once ``time`` is known, or at once if it will not be soon.
  func learnTime() async

  /// True if the network is reachable, now and after each change, for one reader.
  var reachability: AsyncStream<Bool> { get }

  /// Notifications by nodes; nil if nodes are only polled.
  var watch: (any SwarmWatch)? { get }

  /// Returns the keys of the nodes that store messages of an account, fewest failures first.
  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]]

  /// Polls one node.
  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply

  /// Retrieves everything in namespaces of an account that anyone may read, from one node. Throws unless all of them
  /// were read.
  func published(
    _ namespaces: [StorageNamespace], of account: SessionID, at node: [UInt8]
  ) async throws(NetworkFailure) -> [StorageNamespace: [SwarmMessage]]

  /// Runs steps in a swarm in order, up to the first that fails. There is a result for each step. Private stores
  /// and all other steps need the account's signer. Throws if no result is known.
  ///
  /// Steps that a user waits for are sent at once.
  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult]

  /// Shortens the expiry of messages in a swarm.
  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> ShortenedExpiries

  /// Returns the expiry times of the messages that a swarm still stores.
  func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime]
}

extension SwarmService {
  public var watch: (any SwarmWatch)? { nil }

  public func learnTime() async {}

  public func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> [SwarmStepResult] {
    try await perform(steps, in: swarm, as: signer, atOnce: false)
  }
}
