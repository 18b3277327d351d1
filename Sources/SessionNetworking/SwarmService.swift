public import SessionCore

/// What can be asked of swarms. ``NetworkSwarms`` asks a network.
public protocol SwarmService: Sendable {
  /// The time to put into messages; nil while the network was not asked for it, and only the machine's clock is known.
  var time: MessageTime? { get }

  /// Returns once ``time`` is known, or at once if it will not be soon.
  func learnTime() async

  /// Whether there is a way into the network, now and whenever that changes, for one reader.
  var reachability: AsyncStream<Bool> { get }

  /// How nodes tell by themselves of what is new; nil where they are only asked.
  var watch: (any SwarmWatch)? { get }

  /// The keys of the nodes that keep what is stored for an account, from those that failed least.
  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]]

  /// Asks one node for everything new.
  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmHarvest

  /// Has a swarm do steps, one after the other, up to the first that fails. There is a result for each. Storing privately
  /// and all other steps need the account's signer. Throws if nothing is known of any step.
  ///
  /// A user waits for what is done at once.
  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult]

  /// Has a swarm keep messages for a shorter time. Returns until when it keeps those that it has.
  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime]

  /// Until when a swarm keeps messages: those of them that are there.
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
