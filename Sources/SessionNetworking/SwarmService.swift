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

  /// Has a swarm keep parcels, one after the other, and then delete messages: up to the first that fails. What is
  /// private to an account, and deleting, needs its signer.
  func change(
    _ swarm: SessionID, storing parcels: [SwarmParcel], deleting hashes: [String], as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> SwarmChanges

  /// The same as an interactive request: a user waits for the reply.
  func changeAtOnce(
    _ swarm: SessionID, storing parcels: [SwarmParcel], deleting hashes: [String], as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> SwarmChanges

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

  public func changeAtOnce(
    _ swarm: SessionID, storing parcels: [SwarmParcel], deleting hashes: [String], as signer: Storage.Signer?
  ) async throws(NetworkFailure) -> SwarmChanges {
    try await change(swarm, storing: parcels, deleting: hashes, as: signer)
  }
}

/// What became of a change of a swarm.
public struct SwarmChanges: Sendable {
  /// One for each parcel: until when it is kept. Those behind one that failed were not tried, and failed as it did.
  public let stored: [Result<MessageTime, NetworkFailure>]
  /// Whether the messages were deleted; nil when nothing was to be.
  public let deleted: Bool?

  public init(stored: [Result<MessageTime, NetworkFailure>], deleted: Bool?) {
    self.stored = stored
    self.deleted = deleted
  }

  /// Throws why something was not stored.
  public func check() throws(NetworkFailure) {
    for result in stored { _ = try result.get() }
  }
}
