import SessionCore
import Synchronization

/// The bytes that a server holds, in all and for each client.
final class HeldBytes: Sendable {
  private struct State {
    var inAll = 0
    var ofPeers: [[UInt8]: Int] = [:]
  }

  private let inAll: Int
  private let perPeer: Int
  /// The clients that may hold as much as there is.
  private let trusted: Set<[UInt8]>
  private let state = Mutex(State())

  init(inAll: Int, perPeer: Int, trusted: Set<[UInt8]> = []) {
    (self.inAll, self.perPeer, self.trusted) = (inAll, perPeer, trusted)
  }

  /// The key of a client: for IPv6 the network part of the address.
  static func name(of peer: NetworkAddress?) -> [UInt8] {
    guard let peer else { return [] }
    return peer.isIPv4 ? peer.hostBytes : Array(peer.hostBytes.prefix(8))
  }

  /// False if there is no room.
  func take(_ count: Int, for peer: [UInt8]) -> Bool {
    state.withLock { state in
      let ofPeer = state.ofPeers[peer, default: 0] + count
      guard ofPeer <= perPeer || trusted.contains(peer), state.inAll + count <= inAll else { return false }
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
