import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import Testing

@testable import SessionServers

/// Requests to a community server that are almost valid. `MUTATIONS` says how many; each has a seed of its own, which is
/// shown when it fails.
@Suite(.onBothStorages) struct CommunityMutationTests {
  private static var count: UInt64 {
    ProcessInfo.processInfo.environment["MUTATIONS"].flatMap { UInt64($0) } ?? 1000
  }

  /// Without an author.
  private static let id = "15" + String(repeating: "a1", count: 32)

  private static let requests: [(method: String, path: String, body: String)] = [
    (
      "POST", "/batch",
      #"[{"method":"GET","path":"/rooms","headers":{"a":"b"}},{"method":"POST","path":"/room/lobby/message","json":{"data":"aGk=","signature":"AAAA","files":[1,"2"]}}]"#
    ),
    (
      "POST", "/sequence",
      #"[{"method":"DELETE","path":"/room/lobby/message/1"},{"method":"GET","path":"/room/lobby/messages/since/0?limit=2&t=r&reactors=3"}]"#
    ),
    (
      "POST", "/room/lobby/message",
      #"{"data":"aGk=","signature":"AAAA","whisper_to":"15aa","whisper_mods":true,"files":[1,"2",-3]}"#
    ),
    ("PUT", "/room/lobby/message/1", #"{"data":"aGk=","signature":"AAAA"}"#),
    ("GET", "/room/lobby/messages/before/12?limit=5&reactors=2", ""),
    ("GET", "/room/lobby/pollInfo/0", ""),
    ("PUT", "/room/lobby/reaction/1/\u{1F44D}", "{}"), ("GET", "/room/lobby/reactors/1/x?limit=3", ""),
    ("PUT", "/room/lobby", #"{"name":"a","description":null,"default_read":true,"image":3}"#),
    ("POST", "/user/\(id)/ban", #"{"rooms":["lobby"],"timeout":5.5}"#),
    ("POST", "/user/\(id)/moderator", #"{"global":true,"moderator":true,"visible":false}"#),
    ("POST", "/room/lobby/permissions/\(id)", #"{"read":false,"default_write":true,"unschedule":false}"#),
    ("POST", "/room/lobby/futurePermissions/\(id)", #"{"in":60,"write":false}"#),
    ("POST", "/inbox/\(id)", #"{"message":"AAAA"}"#), ("GET", "/inbox/since/3?limit=2", ""),
    ("POST", "/room/lobby/file", "content"), ("GET", "/room/lobby/file/1/name", ""), ("GET", "/r/lobby/", ""),
    ("DELETE", "/room/lobby/all/\(id)", ""), ("POST", "/room/lobby/pin/1", "{}"),
  ]

  @Test func mutatedRequestsAreAnswered() async throws {
    try await withCommunity { (site) async throws in
      let member = try await site.admin()
      for seed in 0..<Self.count {
        var random = SplitMix(seed)
        let request = Self.requests[Int(seed) % Self.requests.count]
        let body = random.mutated(bytes(request.body))
        let path =
          seed % 2 == 0 ? request.path : String(decoding: random.mutated(bytes(request.path)), as: UTF8.self)
        guard let target = HTTPTarget(unicode: path), !path.contains("#") else { continue }
        // Correctly signed, so that what was changed is looked at.
        let headers = try member.headers(request.method, target.signedPath, body, at: site.clock.now)
        let sealed = try SealedExchange(
          payload: Self.payload(request.method, path, headers, body), for: site.server.key)
        let address = try #require(site.server.address)
        let reply = try await site.client.send(
          HTTPClient.Request(.post, "http://\(address)\(OnionHTTPServer.onionPath)", body: sealed.bytes))
        #expect(reply.status == 200, "seed \(seed)")
        let status = try sealed.open(reply.body).status
        #expect((200...499).contains(status), "seed \(seed): \(status)")
        #expect(status != 401 && status != 425, "seed \(seed): \(status)")
      }
      try await site.post("sound", as: member)
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["sound"])
    }
  }

  private static func payload(
    _ method: String, _ path: String, _ headers: [(String, String)], _ body: [UInt8]
  ) -> [UInt8] {
    let fields = JSONValue.object(headers.map { .init($0.0, .string($0.1)) })
    let head: JSONValue = ["method": .string(method), "endpoint": .string(path), "headers": fields]
    let text = bytes(head.description)
    return bytes("l\(text.count):") + text + bytes("\(body.count):") + body + bytes("e")
  }
}
