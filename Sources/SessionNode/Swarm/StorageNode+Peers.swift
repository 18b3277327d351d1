import SessionBase
import SessionCore
import SessionEndpoint

extension StorageNode {
  /// The reason why another node gave no reply.
  enum PeerFailure: Error {
    case unreachable
    case timeout
    case refused
  }

  /// Calls another node, unless it was unreachable a moment ago.
  func call(
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
