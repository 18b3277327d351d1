import Dispatch
import Foundation
import Glibc
import SessionCore
import SessionHTTP
import Testing

@testable import SessionServers

/// Requests that are almost valid. The server replies where it can, and keeps running. `MUTATIONS` says
/// how many of each kind; each has a seed of its own, which is shown when it fails.
@Suite struct MutationTests {
  private static var count: UInt64 {
    ProcessInfo.processInfo.environment["MUTATIONS"].flatMap { UInt64($0) } ?? 2000
  }

  private static let peers = 8

  /// Does something for each seed, a few at a time.
  private func forEachSeed(_ body: @escaping @Sendable (UInt64) async throws -> Void) async throws {
    let count = Self.count
    try await withThrowingTaskGroup { group in
      for first in 0..<UInt64(Self.peers) {
        group.addTask {
          for seed in stride(from: first, to: count, by: Self.peers) { try await body(seed) }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The server still does what it is for.
  private func expectSound(_ site: FileSite, _ way: Way) async throws {
    let id = try await site.upload(bytes("sound"), over: way)
    #expect(try await site.call("GET", "/file/\(id)", over: way).body == bytes("sound"))
  }

  private static let requests: [String] = [
    "POST /file HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-FS-TTL: 60\r\nConnection: close\r\n\r\nhello",
    "POST /file HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "GET /file/tKO2VVg1JPHwgZuvqK_7bDHJeSr4UJ_8i13ETlwAn0jB HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "GET /file/1/info?a=%41&b HTTP/1.0\r\n\r\n",
    "POST /files HTTP/1.1\r\nHost: a\r\nContent-Length: 19\r\nConnection: close\r\n\r\n{\"file\":\"aGVsbG8=\"}",
    "GET /session_version?platform=ios HTTP/1.1\r\nHost: a\r\nX-FS-Pubkey: 07\(String(repeating: "ab", count: 32))\r\n"
      + "X-FS-Timestamp: 1800000000\r\nX-FS-Signature: \(String(repeating: "A", count: 86))==\r\nConnection: close\r\n\r\n",
    "POST /oxen/v4/lsrpc HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
      + "\u{2}\u{0}\u{0}\u{0}{}",
    "DELETE /file/x HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  ]

  @Test func mutatedRequestsOfHTTP() async throws {
    try await withFileSite { (site) async throws in
      let address = try #require(site.server.address)
      try await forEachSeed { seed in
        var random = SplitMix(seed)
        let request = random.mutated(bytes(Self.requests[Int(seed) % Self.requests.count]))
        let answer = try await RawRequest.send(request, to: address)
        // Nothing at all, or something that begins as answers do.
        #expect(answer.isEmpty || answer.starts(with: bytes("HTTP/1.")), "seed \(seed)")
      }
      for way in Way.allCases { try await expectSound(site, way) }
    }
  }

  @Test func mutatedOnions() async throws {
    try await withFileSite { (site) async throws in
      let key = site.server.exchangeKey
      try await forEachSeed { seed in
        var random = SplitMix(seed)
        let sealed = try SealedExchange("POST", "/file", body: bytes("hello"), for: key).bytes
        let reply = try await site.post(.post, OnionHTTPServer.onionPath, body: random.mutated(sealed))
        #expect(reply.status == 400 || reply.status == 200, "seed \(seed)")
      }
      try await expectSound(site, .onion)
    }
  }

  @Test func mutatedRequestsInOnions() async throws {
    let payloads = [
      #"l71:{"method":"POST","endpoint":"/file","headers":{"X-FS-TTL":"60","a":"b"}}5:helloe"#,
      #"l54:{"method":"GET","endpoint":"/file/1/info","headers":{}}e"#,
      #"l49:{"method":"POST","endpoint":"/files","headers":{}}19:{"file":"aGVsbG8="}e"#,
    ]
    try await withFileSite { (site) async throws in
      let key = site.server.exchangeKey
      try await forEachSeed { seed in
        var random = SplitMix(seed)
        let payload = random.mutated(bytes(payloads[Int(seed) % payloads.count]))
        let sealed = try SealedExchange(payload: payload, for: key)
        let reply = try await site.post(.post, OnionHTTPServer.onionPath, body: sealed.bytes)
        #expect(reply.status == 200, "seed \(seed)")
        #expect((200...599).contains(try sealed.open(reply.body).status), "seed \(seed)")
      }
      try await expectSound(site, .onion)
    }
  }
}
