import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Several requests in one.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityBatchTests {
  private func batch(
    _ site: CommunitySite, _ member: Member?, _ elements: String, path: String = "/batch"
  ) async throws -> CommunitySite.Answer {
    try await site.call(member, "POST", path, bytes(elements))
  }

  private func codes(_ answer: CommunitySite.Answer) -> [Int64] {
    answer.json.elements.compactMap { $0["code"]?.integer }
  }

  @Test func elementsAreAnsweredInOrder() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let post = try member.post("hello")
      let answer = try await batch(
        site, member,
        """
        [{"method":"GET","path":"/capabilities"},{"method":"POST","path":"/room/lobby/message","json":\(post)},
         {"method":"GET","path":"/room/lobby/messages/recent?limit=5"},{"method":"GET","path":"/no/where"}]
        """)
      #expect(answer.status == 200)
      #expect(codes(answer) == [200, 201, 200, 404])
      let elements = answer.json.elements
      #expect(elements[2]["body"]?.elements.map { Member.text($0) } == ["hello"])
      #expect(elements[0]["headers"] == ["content-type": "application/json"])
      #expect(elements[3]["headers"]?["content-type"]?.string?.hasPrefix("text/plain") == true)
      #expect(elements[3]["body"]?.string == bytes("Not found").base64)
    }
  }

  @Test func elementsAfterAFailureOfTheDatabaseAreNotRead() async throws {
    try await withCommunity { (site) async throws in
      try await site.server.store.write { try $0.run("DROP TABLE pin") }
      let answer = try await batch(
        site, nil,
        """
        [{"method":"GET","path":"/room/lobby/messages/recent"},{"method":"GET","path":"/room/lobby"},
         {"method":"GET","path":"/room/lobby/messages/recent"}]
        """)
      #expect(answer.status == 200)
      #expect(codes(answer) == [200, 500, 503])
    }
  }

  @Test func sequencesStopAfterTheFirstFailure() async throws {
    try await withCommunity { (site) async throws in
      let elements =
        #"[{"method":"GET","path":"/rooms"},{"method":"GET","path":"/x"},{"method":"GET","path":"/rooms"}]"#
      #expect(codes(try await batch(site, nil, elements)) == [200, 404, 200])
      #expect(codes(try await batch(site, nil, elements, path: "/sequence")) == [200, 404])
      let changes =
        #"[{"method":"DELETE","path":"/room/lobby/message/1"},{"method":"GET","path":"/rooms"}]"#
      #expect(codes(try await batch(site, try site.member(), changes, path: "/sequence")) == [404])
      #expect(codes(try await batch(site, try site.member(), changes)) == [404, 200])
    }
  }

  @Test(arguments: [
    "", "{}", "null", "[]", "[1]", #"[{}]"#, #"[{"method":"GET"}]"#, #"[{"path":"/rooms"}]"#,
    #"[{"method":"GET","path":"rooms"}]"#, #"[{"method":"PATCH","path":"/rooms"}]"#,
    #"[{"method":"get","path":"/rooms"}]"#, #"[{"method":"GET","path":"/rooms","json":{}}]"#,
    #"[{"method":"POST","path":"/rooms"}]"#, #"[{"method":"POST","path":"/rooms","json":{},"b64":""}]"#,
    #"[{"method":"POST","path":"/rooms","b64":"?"}]"#, #"[{"method":"POST","path":"/rooms","bytes":1}]"#,
    #"[{"method":"GET","path":"/rooms","headers":{"a":1}}]"#,
    #"[{"method":"GET","path":"/rooms","headers":[]}]"#,
    #"[{"method":"GET","path":"/rooms"},{"method":"POST","path":"/batch","json":[]}]"#,
    #"[{"method":"POST","path":"/sequence","json":[]}]"#,
    #"[{"method":"POST","path":"/%62atch","json":[]}]"#,
    #"[{"method":"POST","path":"/oxen/v4/lsrpc","bytes":""}]"#,
    #"[{"method":"POST","path":"/a","json":[[[[[[[[[[1]]]]]]]]]]}]"#,
    "[" + Array(repeating: #"{"method":"GET","path":"/rooms"}"#, count: 257).joined(separator: ",") + "]",
  ])
  func malformedBatchesAreRefusedAsAWhole(body: String) async throws {
    try await withCommunity { (site) async throws in
      for path in ["/batch", "/sequence"] {
        #expect(try await batch(site, try site.member(), body, path: path).status == 400)
      }
    }
  }

  @Test func answersAreBounded() async throws {
    try await withCommunity {
      $0.postLimit = .init(1000, within: 1)
    } body: { (site) async throws in
      let member = try site.member()
      let post = try member.post(data: [UInt8](repeating: 7, count: 60_000))
      for _ in 0..<10 {
        #expect(try await site.call(member, "POST", "/room/lobby/message", json: post).status == 201)
      }
      let element = #"{"method":"GET","path":"/room/lobby/messages/recent?limit=256"}"#
      let body = "[" + Array(repeating: element, count: 256).joined(separator: ",") + "]"
      let answer = try await batch(site, member, body)
      #expect(answer.status == 200)
      #expect(answer.body.count < 9 * 1024 * 1024)
      let codes = codes(answer)
      #expect(codes.count == 256)
      #expect(codes.first == 200)
      #expect(codes.last == 413)
      #expect(answer.json.elements.last?["headers"] == ["content-type": "text/plain"])
      #expect(answer.json.elements.last?["body"] == "")
    }
  }

  @Test func elementsSignNothingThemselves() async throws {
    try await withCommunity { (site) async throws in
      let post = try site.member().post("x")
      let element =
        #"{"method":"POST","path":"/room/lobby/message","headers":{"X-SOGS-Pubkey":"15"},"json":\#(post)}"#
      #expect(codes(try await batch(site, nil, "[\(element)]")) == [401])
    }
  }

  @Test func pathsOfElementsMayHaveAnyCharacters() async throws {
    try await withCommunity { (site) async throws in
      let elements = #"[{"method":"GET","path":"/room/ü"},{"method":"GET","path":"/room/%C3%BC"}]"#
      #expect(codes(try await batch(site, nil, elements)) == [404, 404])
    }
  }

  @Test func whatFailedInABatchIsNotCarriedOutLater() async throws {
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    var request: (headers: [(String, String)], body: [UInt8]) = ([], [])
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      let member = try site.member()
      try await site.post("one", as: member)
      request.body = bytes(
        """
        [{"method":"PUT","path":"/room/lobby/reaction/2/x","json":{}},
         {"method":"PUT","path":"/room/lobby/reaction/1/x","json":{}},
         {"method":"PUT","path":"/room/lobby/reaction/1/y","json":{}}]
        """)
      request.headers = try member.headers("POST", "/batch", request.body, at: clock.now)
      let answer = try await site.send("POST", "/batch", headers: request.headers, request.body)
      #expect(codes(answer) == [404, 200, 200])
      try await site.post("two", as: member)
    }
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      let answer = try await site.send("POST", "/batch", headers: request.headers, request.body)
      // The others change nothing any more.
      #expect(codes(answer) == [425, 200, 200])
      let shown = try await site.call(nil, "GET", "/room/lobby/message/2").json
      #expect(shown["reactions"]?["x"] == nil)
    }
  }

  @Test func aBatchIsNotRepeated() async throws {
    let (folder, clock) = (try TemporaryFolder(), TestClock())
    var request: (headers: [(String, String)], body: [UInt8]) = ([], [])
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      let member = try site.member()
      let (one, other) = (try member.post("1"), try member.post("2"))
      request.body = bytes(
        """
        [{"method":"POST","path":"/room/lobby/message","json":\(one)},
         {"method":"POST","path":"/room/lobby/message","json":\(other)}]
        """)
      request.headers = try member.headers("POST", "/batch", request.body, at: clock.now)
      #expect(
        codes(try await site.send("POST", "/batch", headers: request.headers, request.body)) == [201, 201])
    }
    try await withCommunity(in: folder, clock: clock) { (site) async throws in
      #expect(
        codes(try await site.send("POST", "/batch", headers: request.headers, request.body)) == [425, 425])
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["2", "1"])
    }
  }
}
