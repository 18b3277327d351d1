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

/// Random numbers that follow from a seed.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A few changes: bits, bytes, pieces that go, come twice, or change places, and numbers that are others.
  mutating func mutated(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      let end = Int.random(in: place...min(place + 16, bytes.count), using: &self)
      switch Int.random(in: 0..<7, using: &self) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 4: bytes.removeSubrange(place...)
      case 5:
        bytes.insert(
          contentsOf: (0..<Int.random(in: 1...8, using: &self)).map { _ in
            UInt8.random(in: 0...255, using: &self)
          }, at: place)
      default:
        if let digit = bytes[place...].firstIndex(where: { (48...57).contains($0) }) {
          bytes[digit] = UInt8.random(in: 48...57, using: &self)
        }
      }
    }
    return bytes
  }
}

/// Bytes sent over TCP before this side stops sending, with a short timeout for the reply.
private enum RawRequest {
  struct Refused: Error {}

  private static let timeout = timeval(tv_sec: 0, tv_usec: 50_000)

  /// Sends a request, and returns the bytes that the server sends before it falls silent.
  static func send(_ request: [UInt8], to address: NetworkAddress) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { waiting in
      // Blocking calls need a thread of their own: the server runs in this process too, on the shared threads.
      DispatchQueue(label: "session.tests.peer").async {
        waiting.resume(with: Result { try exchange(request, with: address) })
      }
    }
  }

  private static func exchange(_ request: [UInt8], with address: NetworkAddress) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var inet = sockaddr_in()
    inet.sin_family = sa_family_t(AF_INET)
    inet.sin_port = address.port.bigEndian
    withUnsafeMutableBytes(of: &inet.sin_addr) { $0.copyBytes(from: address.hostBytes) }
    let isConnected = withUnsafePointer(to: inet) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw Refused() }
    var timeout = timeout
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    _ = request.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { return answer }
      answer += piece[..<count]
    }
  }
}
