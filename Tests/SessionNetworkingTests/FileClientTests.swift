import SessionCore
import SessionNetworking
import Synchronization
import Testing

/// A server with scripted replies.
private final class Answering: ServerService {
  let answer: @Sendable (ServerRequest) -> (Int, [UInt8])
  let requests = Mutex<[ServerRequest]>([])

  init(_ answer: @escaping @Sendable (ServerRequest) -> (Int, [UInt8])) { self.answer = answer }

  func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    requests.withLock { $0.append(request) }
    let (status, body) = answer(request)
    return ServerResponse(status: status, headers: [], bodyKind: .bytes, body: body, attempts: 1)
  }
}

@Suite struct FileClientTests {
  private let home: FileServer
  private let key: [UInt8]
  private let now: MessageTime

  init() throws {
    key = try Account.generate().ed25519PublicKey
    home = try FileServer(.http, host: "files.example", key: key)
    now = try MessageTime(milliseconds: 1_700_000_000_000)
  }

  private func upload(answering body: String) async throws -> KeptFile {
    let client = FileClient(through: Answering { _ in (200, Array(body.utf8)) }, FileServers(home))
    return try await client.upload([1, 2, 3], isStream: true, at: now)
  }

  @Test func aFileThatWasUploadedHasAnAddressForOthers() async throws {
    let kept = try await upload(answering: #"{"id":"abc_-9","uploaded":1,"expires":1700000500.5}"#)
    #expect(kept.id == "abc_-9")
    #expect(kept.url.description == "http://files.example/file/abc_-9#p=\(key.hex)&d")
    #expect(kept.expiresAt.milliseconds == 1_700_000_500_500)
    #expect(try await upload(answering: #"{"id":12345}"#).id == "12345")
  }

  private func version(_ status: Int, _ body: String, of platform: String = "desktop") async throws
    -> PublishedVersion?
  {
    let server = Answering { _ in (status, Array(body.utf8)) }
    let found = try await FileClient(through: server, FileServers(home)).version(of: platform)
    #expect(server.requests.withLock { $0.map(\.endpoint) } == ["/session_version?platform=\(platform)"])
    #expect(server.requests.withLock { $0.allSatisfy { $0.headers.isEmpty && $0.method == .get } })
    return found
  }

  @Test func theServerNamesTheNewestVersion() async throws {
    let found = try #require(
      try await version(
        200, #"{"status_code":200,"updated":1700000000.5,"result":"1.17.0-rc.1+x","notes":"n"}"#))
    #expect(found.version == "1.17.0-rc.1+x" && found.updatedAt == 1_700_000_000_500)
    #expect(try await version(200, #"{"result":"1"}"#)?.updatedAt == nil)
    #expect(try await version(200, #"{"result":"1","updated":1e300}"#)?.updatedAt == nil)
    for status in [404, 502] { #expect(try await version(status, "{}") == nil) }
  }

  @Test(arguments: [
    "", "{}", "[]", "<html></html>", #"{"result":1}"#, #"{"result":""}"#, #"{"result":"1 2"}"#,
    #"{"result":"\u001b[2J"}"#, #"{"result":"\#(String(repeating: "1", count: 65))"}"#,
    #"{"result":"1","notes":"\#(String(repeating: "x", count: 256 * 1024))"}"#,
  ])
  func aReplyWithoutAVersionIsRefused(body: String) async throws {
    let failure = await #expect(throws: NetworkFailure.self) { try await version(200, body) }
    #expect(failure?.kind == .transient)
    let busy = await #expect(throws: NetworkFailure.self) { try await version(503, body) }
    #expect(busy?.kind == .busy)
  }

  @Test(arguments: ["", "../x", "Desktop", "a b", "a&b", String(repeating: "a", count: 33)])
  func namesOfPlatformsAreChecked(name: String) async throws {
    let server = Answering { _ in (200, []) }
    let client = FileClient(through: server, FileServers(home))
    let failure = await #expect(throws: NetworkFailure.self) { try await client.version(of: name) }
    #expect(failure?.kind == .rejected && server.requests.withLock(\.isEmpty))
  }

  @Test func theOfficialServerNeedsNoKey() throws {
    let official = try #require(FileServer.official)
    #expect(
      try official.url(of: "1", isStream: false).description == "http://filev2.getsession.org/file/1")
    let servers = FileServers(official)
    #expect(try servers.server(of: FileURL(parsing: "http://filev2.getsession.org/file/1")) == official)
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"id":""}"#, #"{"id":null}"#, #"{"id":1.5}"#, #"{"id":-1}"#, #"{"id":"a/b"}"#,
    #"{"id":"a#b"}"#, #"{"id":".."}"#, #"{"id":{"id":"x"}}"#, #"{"id":"ä"}"#,
    #"{"id":"\#(String(repeating: "x", count: 129))"}"#, "<html></html>",
  ])
  func invalidReceiptIsRetried(body: String) async throws {
    let failure = await #expect(throws: NetworkFailure.self) { try await upload(answering: body) }
    #expect(failure?.kind == .transient)
  }

  @Test(arguments: [
    #"{"id":"1"}"#, #"{"id":"1","expires":1}"#, #"{"id":"1","expires":1e300}"#,
    #"{"id":"1","expires":"soon"}"#,
    #"{"id":"1","uploaded":1700000600,"expires":1700000500}"#, #"{"id":"1","expires":-5}"#,
    #"{"id":"1","expires":2000000000000}"#, #"{"id":"1","expires":null,"size":-1}"#,
  ])
  func datesThatCannotBeAreTheUsualOnes(body: String) async throws {
    let kept = try await upload(answering: body)
    #expect(kept.expiresAt.milliseconds == 1_700_000_000_000 + 14 * 86_400_000)
  }

  @Test(arguments: [
    (400, NetworkFailure.Kind.rejected), (401, .unauthorized), (403, .unauthorized), (404, .gone),
    (406, .clock), (408, .transient), (413, .tooLarge), (425, .clock), (429, .busy), (500, .transient),
    (502, .transient), (503, .busy), (504, .transient), (507, .transient), (302, .rejected), (201, nil),
  ])
  func eachStatusMeansOneThing(status: Int, kind: NetworkFailure.Kind?) async throws {
    let client = FileClient(
      through: Answering { _ in (status, Array(#"{"id":"x"}"#.utf8)) }, FileServers(home))
    let url = try home.url(of: String(repeating: "A", count: 44), isStream: false)
    func outcome(_ body: () async throws -> Void) async -> NetworkFailure.Kind? {
      do { try await body() } catch { return (error as? NetworkFailure)?.kind }
      return nil
    }
    #expect(await outcome { _ = try await client.upload([1], isStream: false, at: now) } == kind)
    #expect(await outcome { _ = try await client.download(url) } == kind)
    #expect(await outcome { _ = try await client.info(of: url, at: now) } == kind)
    #expect(await outcome { _ = try await client.extend(url, at: now) } == kind)
  }

  @Test func requestsTellNothingOfTheFile() async throws {
    let service = Answering { _ in (200, Array(#"{"id":"x"}"#.utf8)) }
    let client = FileClient(through: service, FileServers(home))
    _ = try await client.upload([1], isStream: false, at: now)
    _ = try await client.download(try FileURL(parsing: "http://files.example/files/7#d&p=\(key.hex)"))
    let requests = service.requests.withLock { $0 }
    #expect(requests.map(\.endpoint) == ["/file", "/file/7"])
    #expect(requests[0].headers.map(\.value) == ["application/octet-stream", "attachment"])
  }

  @Test func sizesAreLimitedBothWays() async throws {
    let large = [UInt8](repeating: 7, count: FileClient.maxBytes + 1025)
    let client = FileClient(through: Answering { _ in (200, large) }, FileServers(home))
    let url = try home.url(of: "1", isStream: false)
    let down = await #expect(throws: NetworkFailure.self) { try await client.download(url) }
    #expect(down?.kind == .tooLarge)
    let up = await #expect(throws: NetworkFailure.self) {
      try await client.upload(Array(large.prefix(FileClient.maxBytes + 1)), isStream: false, at: now)
    }
    #expect(up?.kind == .tooLarge)
    let exact = FileClient(through: Answering { _ in (200, Array(#"{"id":"x"}"#.utf8)) }, FileServers(home))
    _ = try await exact.upload(Array(large.prefix(FileClient.maxBytes)), isStream: false, at: now)
  }

  @Test func onlyNamesMadeFromContentAreExtended() async throws {
    let client = FileClient(through: Answering { _ in (200, Array("{}".utf8)) }, FileServers(home))
    let numeric = try home.url(of: "12345", isStream: false)
    let failure = await #expect(throws: NetworkFailure.self) { try await client.extend(numeric, at: now) }
    #expect(failure?.kind == .rejected)
    let info = try await client.extend(
      try home.url(of: String(repeating: "a", count: 44), isStream: false), at: now)
    #expect(info.size == nil && info.expiresAt.milliseconds == 1_700_000_000_000 + 14 * 86_400_000)
  }

  @Test func addressesOfStrangersAreRefusedUnlessTheyNameAKey() throws {
    let servers = FileServers(home)
    let other = try Account.generate().ed25519PublicKey.hex
    func server(_ text: String) throws -> FileServer { try servers.server(of: FileURL(parsing: text)) }
    #expect(try server("http://files.example/file/1") == home)
    #expect(try server("http://FILES.example/file/1#p=\(key.hex)").key == key)
    #expect(try server("https://elsewhere.example:8443/file/1#p=\(other)").port == 8443)
    for refused in [
      "http://elsewhere.example/file/1", "https://files.example/file/1", "http://files.example:8080/file/1",
      "http://files.example/file/1#p=\(other)",
      "http://elsewhere.example/file/1#p=\(String(repeating: "f", count: 64))",
      "http://elsewhere.example/file/1#p=\(String(repeating: "0", count: 64))",
      "http://elsewhere.example/file/1#p=abc", "http://files.example/room/lobby/file/1",
    ] {
      let failure = #expect(throws: NetworkFailure.self) { try server(refused) }
      #expect(failure?.kind == .rejected, "\(refused)")
    }
    for unreadable in [
      "file:///etc/passwd", "http://user@files.example/file/1", "http://files.example/file/../1",
      "http://files.example/file/", "ftp://files.example/file/1",
    ] { #expect(throws: SessionError.self) { try server(unreadable) } }
  }
}
