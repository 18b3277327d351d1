public import SessionCore

/// Swarms for a program that runs without a network.
public struct UnreachableSwarms: SwarmService {
  private static let failure = NetworkFailure(.unreachable, "this program runs without a network")

  public init() {}

  public var time: MessageTime? { nil }
  public var reachability: AsyncStream<Bool> { AsyncStream { $0.yield(false) } }

  public func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] { throw Self.failure }

  public func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply {
    throw Self.failure
  }

  public func published(
    _ namespaces: [StorageNamespace], of account: SessionID, at node: [UInt8]
  ) async throws(NetworkFailure) -> [StorageNamespace: [SwarmMessage]] { throw Self.failure }

  public func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] { throw Self.failure }

  public func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> ShortenedExpiries { throw Self.failure }

  public func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] { throw Self.failure }
}
