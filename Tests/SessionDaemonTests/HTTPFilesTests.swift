import Folders
import SessionBase
import SessionMessaging
import Testing

@testable import SessionDaemon

/// Files as the content of requests and responses of HTTP.
@Suite(.timeLimit(.minutes(5))) struct HTTPFilesTests {
  private func upload(
    _ site: HTTPSite, _ target: String = "/v1/files?name=a%20b.txt", _ body: String = "content",
    _ scopes: Set<RPCScope> = [.send], hasLength: Bool = true
  ) async throws -> HTTPSite.Answer {
    let secret = try await site.token("t\(Int.random(in: 0...1 << 60))", scopes)
    var request = HTTPText(to: site.host, secret).with("Content-Type", nil)
    request = request.with(line: "POST \(target) HTTP/1.1", body: body)
    request.hasLength = hasLength
    return try await site.answer(to: request.text)
  }

  @Test func aBodyBecomesAFileForLaterCalls() async throws {
    let site = try HTTPSite()
    // More than one piece of a socket.
    for body in ["", "content", String(repeating: "0123456789", count: 50_000)] {
      let answer = try await upload(site, body: body)
      #expect(answer.status == 200, "\(answer.text)")
      let result = try JSONReader.value(of: Array(answer.body.utf8))
      #expect(result["size"] == .integer(Int64(body.utf8.count)))
      let file = try await site.uploads.file(try #require(result["file"]?.string))
      #expect(file.name == "a b.txt" && file.bytes == Array(body.utf8))
    }
    await site.service.stop()
  }

  private func upload(_ site: HTTPSite, body: String) async throws -> HTTPSite.Answer {
    try await upload(site, "/v1/files?name=a%20b.txt", body)
  }

  @Test func wrongUploadsAreRefused() async throws {
    let site = try HTTPSite()
    let long = String(repeating: "n", count: 1001)
    for (target, scopes, hasLength, status) in [
      ("/v1/files?name=x", [.read, .manage], true, 403), ("/v1/files?name=x", [.send], false, 411),
      ("/v1/files", [.send], true, 400), ("/v1/files?name=", [.send], true, 400),
      ("/v1/files?name=x&name=y", [.send], true, 400), ("/v1/files?name=x&size=7", [.send], true, 400),
      ("/v1/files?name=\(long)", [.send], true, 400),
    ] as [(String, Set<RPCScope>, Bool, Int)] {
      let answer = try await upload(site, target, hasLength ? "content" : "", scopes, hasLength: hasLength)
      #expect(answer.status == status, "\(target): \(answer.text)")
    }
    #expect(try await upload(site, body: String(repeating: "x", count: 1_000_001)).status == 413)
    let request = HTTPText(to: site.host, try await site.token("get")).with(line: "GET /v1/files HTTP/1.1")
    #expect(try await site.answer(to: request.text).status == 405)
    await site.service.stop()
  }

  /// Each request has a connection of its own, with which unfinished uploads end.
  @Test func piecesOfAFileAreRefusedInARequest() async throws {
    let folder = try TemporaryFolder()
    let site = try HTTPSite(RPCMethod.files(Uploads(in: folder.path("uploads"), maxSize: 100)))
    let secret = try await site.token("bot", [.send])
    for call in [
      #""method":"file.begin","params":{"name":"a"}"#,
      #""method":"file.chunk","params":{"upload":"u","at":0,"data":"AA=="}"#,
      #""method":"file.end","params":{"upload":"u"}"#,
    ] {
      var request = HTTPText(to: site.host, secret)
      request.body = #"{"jsonrpc":"2.0","id":1,\#(call)}"#
      let answer = try await site.answer(to: request.text)
      #expect(answer.body.contains("POST /v1/files") && answer.body.contains("invalid-request"), "\(call)")
    }
    await site.service.stop()
  }

  @Test func aBodyThatBreaksOffLeavesNothing() async throws {
    let site = try HTTPSite()
    let request = HTTPText(to: site.host, try await site.token("bot", [.send]))
      .with(line: "POST /v1/files?name=x HTTP/1.1", body: "content")
    for _ in 0..<Uploads.limit + 1 {
      let socket = try site.connect()
      try await socket.write(Array(request.text.utf8.dropLast(3)))
      socket.endWriting()
      while try await socket.read() != nil {}
    }
    // Uploads that were left would fill the limit.
    #expect(try await upload(site, body: "content").status == 200)
    await site.service.stop()
  }

  @Test(arguments: [
    ("/v1/attachments/5/1", 404), ("/v1/attachments/5/1?account=nobody", 404),
    ("/v1/attachments/5", 404), ("/v1/attachments/5/0", 404), ("/v1/attachments/0/1", 404),
    ("/v1/attachments/5/1/", 404), ("/v1/attachments/a/b", 404), ("/v1/attachments/5/1?acount=a", 400),
  ])
  func contentThatIsNotThereIsRefused(target: String, status: Int) async throws {
    let account = try await ReadAccount()
    let site = try HTTPSite([], account.accounts)
    let request = HTTPText(to: site.host, try await site.token("bot")).with(line: "GET \(target) HTTP/1.1")
    #expect(try await site.answer(to: request.text).status == status)
    await site.service.stop()
    await account.messenger.stop()
  }

  @Test func contentNeedsTheScopeRead() async throws {
    let site = try HTTPSite()
    let request = HTTPText(to: site.host, try await site.token("bot", [.send]))
      .with(line: "GET /v1/attachments/5/1 HTTP/1.1")
    #expect(try await site.answer(to: request.text).status == 403)
    await site.service.stop()
  }
}
