import Synchronization

/// The bytes that a server holds, in all and for each client.
final class HeldBytes: Sendable {
  private struct State {
    var inAll = 0
    var ofPeers: [LimitedPeer: Int] = [:]
  }

  private let inAll: Int
  private let perPeer: Int
  private let state = Mutex(State())

  init(inAll: Int, perPeer: Int) { (self.inAll, self.perPeer) = (inAll, perPeer) }

  /// False if there is no room.
  func take(_ count: Int, for peer: LimitedPeer) -> Bool {
    state.withLock { state in
      let ofPeer = state.ofPeers[peer, default: 0] + count
      guard ofPeer <= perPeer || peer.isTrusted, state.inAll + count <= inAll else { return false }
      state.ofPeers[peer] = ofPeer
      state.inAll += count
      return true
    }
  }

  func give(_ count: Int, for peer: LimitedPeer) {
    guard count > 0 else { return }
    state.withLock { state in
      let ofPeer = state.ofPeers[peer, default: 0] - count
      state.ofPeers[peer] = ofPeer > 0 ? ofPeer : nil
      state.inAll -= count
    }
  }
}
