import Dispatch
import RawConnections
import SessionCore
import SessionHTTP
import Testing

@testable import SessionServers

/// Uploads that announce much and send little.
@Suite(.timeLimit(.minutes(5))) struct SlowUploadTests {
  /// A connection that announces a large body. What blocks does so on threads that no task waits for.
  private final class SlowUpload: Sendable {
    private let connection: RawConnection

    init(of length: Int, to address: NetworkAddress) throws(RawConnection.Refused) {
      connection = try RawConnection(to: address)
      send(
        Array(
          "POST /file HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n".utf8))
    }

    func send(_ bytes: [UInt8]) { connection.send(bytes) }

    /// True if the server asks for the body; false if it hangs up or answers something else.
    func isWanted() async -> Bool {
      let text = await withCheckedContinuation { waiting in
        DispatchQueue.global().async { [connection] in
          waiting.resume(returning: String(decoding: connection.receive(25), as: UTF8.self))
        }
      }
      return text == "HTTP/1.1 100 Continue\r\n\r\n"
    }
  }

  /// How long one honest upload and its download take.
  private func time(of site: FileSite, content: [UInt8], over way: Way) async throws -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    let id = try await site.upload(content, over: way)
    let found = try await site.call("GET", "/file/\(id)", over: way)
    let time = clock.now - start
    try #require(found.body == content)
    return time
  }

  private func limitMemory(_ options: inout FileServer.Options) {
    options.memory = 4_000_000
    options.maxFileBytes = 1_000_000
  }

  /// Two servers take turns, one of them with slow uploads: whatever else the machine does slows down both alike.
  @Test(.timeLimit(.minutes(1))) func slowUploadsDoNotDelayHonestOnes() async throws {
    try await withFileSite(limitMemory) { (quiet) async throws in
      try await withFileSite(limitMemory) { (busy) async throws in
        let address = try #require(busy.server.address)
        let uploads = try (0..<30).map { _ in try SlowUpload(of: 1_000_000, to: address) }
        for upload in uploads {
          try #require(await upload.isWanted())
          upload.send([7])
        }
        var times: (quiet: [Duration], busy: [Duration]) = ([], [])
        for number in 0..<20 {
          for (way, length) in [(Way.plain, 300), (.onion, 300), (.plain, 200_000), (.onion, 200_000)] {
            let content = [UInt8](repeating: UInt8(number), count: length + number)
            times.quiet.append(try await time(of: quiet, content: content, over: way))
            times.busy.append(try await time(of: busy, content: content, over: way))
          }
        }
        let median = (quiet: times.quiet.sorted()[40], busy: times.busy.sorted()[40])
        #expect(median.busy <= median.quiet * 2 + .milliseconds(20), "\(median)")
        withExtendedLifetime(uploads) {}
      }
    }
  }
}
