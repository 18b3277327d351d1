import SessionBase
import SessionCore
import Testing

@testable import SessionServers

/// Pages of large messages.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityPageSizeTests {
  private static let maxPage = 1024 * 1024 + 140_000

  /// Posts messages as large as they may be.
  private func postLargeOnes(_ count: Int, _ site: CommunitySite) async throws {
    let member = try site.member()
    let post = try member.post(data: [UInt8](repeating: 7, count: 100_000))
    for _ in 0..<count {
      #expect(try await site.call(member, "POST", "/room/lobby/message", json: post).status == 201)
    }
  }

  @Test func pagesEndBeforeTheyAreTooLarge() async throws {
    try await withCommunity {
      $0.postLimit = .init(1000, within: 1)
    } body: { (site) async throws in
      try await postLargeOnes(20, site)
      var (cursor, numbers): (Int64, [Int64]) = (0, [])
      while cursor < 20 {
        let answer = try await site.call(nil, "GET", "/room/lobby/messages/since/\(cursor)?limit=256")
        #expect(answer.body.count < Self.maxPage)
        let page = answer.json.elements.compactMap { $0["seqno"]?.integer }
        let last = try #require(page.last)
        try #require(last > cursor)
        numbers += page
        cursor = last
      }
      #expect(numbers == Array(1...20))
      let recent = try await site.call(nil, "GET", "/room/lobby/messages/recent?limit=256")
      #expect(recent.body.count < Self.maxPage)
      #expect(recent.json.elements.first?["id"] == 20)
      let oldest = try #require(recent.json.elements.last?["id"]?.integer)
      let before = try await site.call(nil, "GET", "/room/lobby/messages/before/\(oldest)")
      #expect(before.json.elements.first?["id"]?.integer == oldest - 1)
    }
  }

  @Test func aBatchHasRoomForPagesOfSeveralRooms() async throws {
    try await withCommunity {
      $0.postLimit = .init(1000, within: 1)
    } body: { (site) async throws in
      try await postLargeOnes(20, site)
      let element = #"{"method":"GET","path":"/room/lobby/messages/since/0?limit=100"}"#
      let body = "[" + Array(repeating: element, count: 5).joined(separator: ",") + "]"
      let answers = try await site.call(nil, "POST", "/batch", bytes(body)).json.elements
      #expect(answers.map { $0["code"] } == [200, 200, 200, 200, 200])
    }
  }

  @Test func letterPagesEndBeforeTheyAreTooLarge() async throws {
    try await withCommunity { (site) async throws in
      let (sender, recipient) = (try site.member(), try site.member())
      _ = try await site.call(recipient, "GET", "/rooms")
      let letter: JSONValue = ["message": .string([UInt8](repeating: 0, count: 32 * 1024).base64)]
      for _ in 0..<30 {
        #expect(try await site.call(sender, "POST", "/inbox/\(recipient.id)", json: letter).status == 201)
      }
      let first = try await site.call(recipient, "GET", "/inbox")
      #expect(first.body.count < Self.maxPage)
      let last = try #require(first.json.elements.last?["id"]?.integer)
      try #require(last < 30)
      let second = try await site.call(recipient, "GET", "/inbox/since/\(last)")
      #expect(second.json.elements.compactMap { $0["id"]?.integer } == Array(last + 1...30))
    }
  }
}
