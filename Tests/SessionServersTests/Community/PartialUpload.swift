import Dispatch
import RawConnections
import SessionCore

/// A request that goes piece by piece. What blocks does so on a thread of its own.
final class PartialUpload: Sendable {
  private let connection: RawConnection
  private let queue = DispatchQueue(label: "session.tests.upload")

  init(to address: NetworkAddress) throws(RawConnection.Refused) {
    connection = try RawConnection(to: address)
  }

  func send(_ bytes: [UInt8]) async {
    await withCheckedContinuation { waiting in
      queue.async { [connection] in
        connection.send(bytes)
        waiting.resume()
      }
    }
  }

  /// The status of the answer; nil if the server hangs up.
  func status() async -> Int? {
    await withCheckedContinuation { waiting in
      queue.async { [connection] in
        let words = String(decoding: connection.receive(12), as: UTF8.self).split(separator: " ")
        waiting.resume(returning: words.dropFirst().first.flatMap { Int($0) })
      }
    }
  }

  func hangUp() { connection.hangUp() }
}
