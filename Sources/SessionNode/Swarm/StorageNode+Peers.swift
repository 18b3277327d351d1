import SessionBase
import SessionCore

extension StorageNode {
  /// Why another node of the network gave no answer.
  enum PeerFailure: Error {
    case unreachable
    case timeout
    case refused
  }

  /// Asks another node, unless it could not be reached a moment ago.
  func ask(
    _ peer: NodeRecord, _ command: String, _ body: [UInt8], timeout: Duration
  ) async throws(PeerFailure) -> [UInt8] {
    guard let endpoint, health.mayTry(peer.key, now: MachineClock.nanoseconds) else { throw .unreachable }
    do throws(SessionError) {
      let reply = try await endpoint.request(command, body: body, to: peer.peer, timeout: timeout)
      health.isThere(peer.key)
      return reply
    } catch {
      switch error.code {
      case .requestTimeout, .requestCancelled: throw .timeout
      case .requestFailed:
        health.isThere(peer.key)
        throw .refused
      default:
        health.isAway(peer.key, now: MachineClock.nanoseconds)
        throw .unreachable
      }
    }
  }
}
