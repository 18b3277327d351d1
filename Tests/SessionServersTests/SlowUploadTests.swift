import Dispatch
import Glibc
import SessionCore
import SessionHTTP
import Testing

@testable import SessionServers

/// Uploads that announce much and send little.
@Suite struct SlowUploadTests {
  /// A connection that announces a large body. What blocks does so on threads that no task waits for.
  private final class SlowUpload: Sendable {
    private let descriptor: Int32

    init(of length: Int, to address: NetworkAddress) throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var inet = sockaddr_in()
      inet.sin_family = sa_family_t(AF_INET)
      inet.sin_port = address.port.bigEndian
      withUnsafeMutableBytes(of: &inet.sin_addr) { $0.copyBytes(from: address.hostBytes) }
      let isConnected = withUnsafePointer(to: inet) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      try #require(isConnected)
      send(
        Array(
          "POST /file HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n".utf8))
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
      _ = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }

    /// True if the server asks for the body; false if it hangs up or answers something else.
    func isWanted() async -> Bool {
      let text = await withCheckedContinuation { waiting in
        DispatchQueue.global().async { [descriptor] in
          var bytes = [UInt8](repeating: 0, count: 25)
          let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_WAITALL))
          waiting.resume(returning: String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self))
        }
      }
      return text == "HTTP/1.1 100 Continue\r\n\r\n"
    }
  }

  /// The time that all but one in twenty of some honest requests stay below.
  private func p95(of site: FileSite, from first: Int) async throws -> Duration {
    let clock = ContinuousClock()
    var times: [Duration] = []
    for number in first..<(first + 20) {
      for (way, length) in [(Way.plain, 300), (.onion, 300), (.plain, 200_000), (.onion, 200_000)] {
        let content = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length + number)
        let start = clock.now
        let id = try await site.upload(content, over: way)
        let found = try await site.ask("GET", "/file/\(id)", over: way)
        times.append(clock.now - start)
        try #require(found.body == content)
      }
    }
    return times.sorted()[times.count * 95 / 100]
  }

  @Test(.timeLimit(.minutes(1))) func slowUploadsDoNotDelayHonestOnes() async throws {
    try await withFileSite {
      $0.memory = 4_000_000
      $0.maxFileBytes = 1_000_000
    } body: { (site) async throws in
      let address = try #require(site.server.address)
      let before = try await p95(of: site, from: 0)
      let uploads = try (0..<30).map { _ in try SlowUpload(of: 1_000_000, to: address) }
      for upload in uploads {
        try #require(await upload.isWanted())
        upload.send([7])
      }
      let during = try await p95(of: site, from: 100)
      // A loaded machine may stall for a moment at any time.
      #expect(during <= before * 2 + .milliseconds(100), "\(before) before, \(during) during")
      withExtendedLifetime(uploads) {}
    }
  }
}
