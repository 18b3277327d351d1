import SessionCore
import Synchronization

/// How many bytes a server holds, in all and for each peer.
final class HeldBytes: Sendable {
  private struct State {
    var inAll = 0
    var ofPeers: [[UInt8]: Int] = [:]
  }

  private let inAll: Int
  private let perPeer: Int
  private let state = Mutex(State())

  init(inAll: Int, perPeer: Int) {
    self.inAll = inAll
    self.perPeer = perPeer
  }

  /// What a peer is counted as: of IPv6 addresses the part that its network has.
  static func name(of peer: NetworkAddress?) -> [UInt8] {
    guard let peer else { return [] }
    return peer.isIPv4 ? peer.hostBytes : Array(peer.hostBytes.prefix(8))
  }

  /// False where there is no room.
  func take(_ count: Int, for peer: [UInt8]) -> Bool {
    state.withLock { state in
      let ofPeer = state.ofPeers[peer, default: 0] + count
      guard ofPeer <= perPeer, state.inAll + count <= inAll else { return false }
      state.ofPeers[peer] = ofPeer
      state.inAll += count
      return true
    }
  }

  func give(_ count: Int, for peer: [UInt8]) {
    guard count > 0 else { return }
    state.withLock { state in
      let ofPeer = state.ofPeers[peer, default: 0] - count
      state.ofPeers[peer] = ofPeer > 0 ? ofPeer : nil
      state.inAll -= count
    }
  }
}
