import Dispatch
import RawConnections
import SessionCore

/// A client that speaks no HTTP of its own. What blocks does so on threads that no task waits for.
final class RawPeer: Sendable {
  private let connection: RawConnection

  init(to address: NetworkAddress) throws(RawConnection.Refused) {
    connection = try RawConnection(to: address)
  }

  func send(_ text: String) async { await aside { [connection] in connection.send(Array(text.utf8)) } }

  func hangUp() { connection.hangUp() }

  /// Everything until the other side has nothing more to say.
  func readToEnd() async -> String {
    await aside { [connection] in
      var bytes: [UInt8] = []
      while case let piece = connection.receive(4096), !piece.isEmpty { bytes += piece }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func aside<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { waiting in
      DispatchQueue.global().async { waiting.resume(returning: body()) }
    }
  }
}
