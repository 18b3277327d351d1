import Synchronization

/// The connections of each client, where some clients may have any number: the library knows one limit for all.
final class PeerConnections: Sendable {
  private struct State {
    var counts: [LimitedPeer: Int] = [:]
    /// The clients by the descriptors of their connections.
    var peers: [Int32: LimitedPeer] = [:]
  }

  private let limit: Int
  private let state = Mutex(State())

  /// A limit of 0 admits any number.
  init(limit: Int) { self.limit = limit }

  /// Counts a new connection; false if it is one too many.
  func add(_ descriptor: Int32, of peer: LimitedPeer) -> Bool {
    guard limit > 0, !peer.isTrusted else { return true }
    return state.withLock { state in
      state.peers[descriptor] = peer
      state.counts[peer, default: 0] += 1
      return state.counts[peer, default: 0] <= limit
    }
  }

  func remove(_ descriptor: Int32) {
    state.withLock { state in
      guard let peer = state.peers.removeValue(forKey: descriptor) else { return }
      let count = state.counts[peer, default: 0] - 1
      state.counts[peer] = count > 0 ? count : nil
    }
  }
}
