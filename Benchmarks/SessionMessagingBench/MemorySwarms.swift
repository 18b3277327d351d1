import SessionCore
import SessionJobs
import SessionNetworking
import Synchronization

/// Swarms that keep everything in memory, and are done at once.
final class MemorySwarms: SwarmService {
  private struct Place: Hashable {
    let swarm: SessionID
    let namespace: StorageNamespace
  }

  private struct Kept {
    var messages: [SwarmMessage] = []
    var places: [String: Int] = [:]
  }

  /// How much a node answers at most in one namespace, in bytes.
  private static let page = 2 << 20

  private let kept = Mutex<[Place: Kept]>([:])

  var time: MessageTime? { try? MessageTime(milliseconds: UInt64(SystemClock().now)) }
  var reachability: AsyncStream<Bool> {
    AsyncStream { readers in readers.yield(true) }
  }

  func put(_ data: [UInt8], to swarm: SessionID, in namespace: StorageNamespace, for lifetime: Duration)
    throws
    -> MessageTime
  {
    let item = SwarmItem(data, in: namespace, for: lifetime)
    let hash = item.hash(in: swarm)
    let (now, expiry) = (
      try MessageTime(milliseconds: 1_700_000_000_000), try MessageTime(milliseconds: 1 << 42)
    )
    kept.withLock { all in
      var kept = all.removeValue(forKey: Place(swarm: swarm, namespace: namespace)) ?? Kept()
      // A swarm keeps a message once, where it was first.
      if kept.places[hash] == nil {
        kept.places[hash] = kept.messages.count
        kept.messages.append(SwarmMessage(hash: hash, data: data, storedAt: now, expiresAt: expiry))
      }
      all[Place(swarm: swarm, namespace: namespace)] = kept
    }
    return expiry
  }

  func nodes(of swarm: SessionID) async throws(NetworkFailure) -> [[UInt8]] {
    [[UInt8](repeating: 1, count: 32)]
  }

  func poll(_ poll: SwarmPoll, at node: [UInt8]) async throws(NetworkFailure) -> SwarmReply {
    let pages = kept.withLock { all in
      poll.positions.map { position -> (StorageNamespace, Result<SwarmReply.Page, NetworkFailure>) in
        let place = Place(swarm: poll.signer.account, namespace: position.namespace)
        guard let kept = all[place] else { return (position.namespace, .success(SwarmReply.Page([]))) }
        let start = position.lastHash.flatMap { kept.places[$0] }.map { $0 + 1 } ?? 0
        var (end, size) = (start, 0)
        while end < kept.messages.count, size + kept.messages[end].data.count <= Self.page {
          size += kept.messages[end].data.count
          end += 1
        }
        return (
          position.namespace,
          .success(
            SwarmReply.Page(Array(kept.messages[start..<end]), hasMore: end < kept.messages.count))
        )
      }
    }
    return SwarmReply(node: node.hex, Dictionary(uniqueKeysWithValues: pages))
  }

  func published(
    _ namespaces: [StorageNamespace], of account: SessionID, at node: [UInt8]
  ) async throws(NetworkFailure) -> [StorageNamespace: [SwarmMessage]] { [:] }

  func perform(
    _ steps: [SwarmStep], in swarm: SessionID, as signer: Storage.Signer?, atOnce: Bool
  ) async throws(NetworkFailure) -> [SwarmStepResult] {
    steps.map { step in
      guard case .store(let item) = step else { return .done(members: 1, of: 1, until: nil) }
      do {
        let expiry = try put(item.data, to: swarm, in: item.namespace, for: item.lifetime)
        return .done(members: 1, of: 1, until: expiry)
      } catch {
        return .failed(NetworkFailure(.rejected, "\(error)"))
      }
    }
  }

  func shorten(
    _ hashes: [String], to expiry: MessageTime, as signer: Storage.Signer
  ) async throws(NetworkFailure) -> ShortenedExpiries { ShortenedExpiries([:], isSignedByAll: true) }

  func expiries(
    of hashes: [String], as signer: Storage.Signer
  ) async throws(NetworkFailure) -> [String: MessageTime] { [:] }
}
