import Foundation
import Glibc
import SessionCore
import SessionHTTP
import SessionServers
import Testing

@testable import SessionCLI

/// A community server as operators run it: a process of its own, and commands beside it.
@Suite(.timeLimit(.minutes(10))) struct CommunityServerProcessTests {
  private let config = ["--config", "chat/community-server.toml"]
  /// Nothing listens there.
  private static let url = "http://127.0.0.1:1"

  private func prepared() async throws -> (Program, key: String) {
    let program = try Program()
    let made = try await program.ran(
      "server", "community", "init", "--dir", "chat", "--listen", "127.0.0.1:0", "--url", Self.url)
    try #require(made.status == 0, "\(made.messages)")
    return (program, made.output.trimmingCharacters(in: .newlines))
  }

  private func run(_ program: Program, _ words: String...) async throws -> Program.Outcome {
    try await program.ran(["server", "community"] + words + config)
  }

  /// The objects that a command writes, each of its forms.
  private func objects(_ program: Program, _ words: String...) async throws -> [[String: Any]] {
    try await objects(program, words)
  }

  private func objects(_ program: Program, _ words: [String]) async throws -> [[String: Any]] {
    let result = try await program.ran(["server", "community"] + words + config + ["--json"])
    try #require(result.status == 0, "\(result.messages)")
    let command =
      ["server", "community"] + words.prefix { $0.first?.isLowercase == true && !$0.contains("0") }
    let named = command.indices.reversed().map { Array(command[...$0]) }
      .first { CommandTable.session.command(calledBy: $0)?.words == $0 }
    return try expectForms(inLines: result.output, writtenBy: try #require(named))
  }

  @Test func anOperatorRulesARunningServer() async throws {
    let (program, key) = try await prepared()
    let server = try ServerProcess(program, ["server", "community", "run"] + config)
    #expect(try await server.line(with: "community server began").contains("key=\(key)"))
    try await rule(program, key)
    let shown = try await run(program, "status")
    #expect(shown.output.contains("rooms      1\n"), "\(shown.output)")
    let status = try #require(try await objects(program, "status").first)
    #expect(status["key"] as? String == key)
    #expect(status["url_answers"] as? String == "nothing")
    #expect(shown.output.contains("no, nothing answers"), "\(shown.output)")
    let second = try await run(program, "run")
    #expect(second.status == 69)
    server.signal(SIGTERM)
    #expect(await server.end() == 0)
  }

  @Test func anOperatorRulesAServerThatDoesNotRun() async throws {
    let (program, key) = try await prepared()
    #expect(try await run(program, "status").status == 69)
    try await rule(program, key)
    #expect(try await run(program, "key").output == key + "\n")
  }

  /// Somebody who posts to the room.
  private struct Poster: Sendable {
    let identity: CommunityIdentity
    let url: String

    init(_ key: [UInt8], _ url: String) throws {
      identity = try CommunityIdentity(of: .generate(), on: key, scheme: .blinded15)
      self.url = url
    }

    /// Returns the data of a post that the server has acknowledged; nil for another one.
    func post(_ client: HTTPClient) async throws -> String? {
      let data = try SecretBytes.random(count: 40).reveal()
      let body = Array(
        #"{"data":"\#(data.base64)","signature":"\#(try identity.sign(post: data).base64)"}"#.utf8)
      let now = try MessageTime(milliseconds: UInt64(Date.now.timeIntervalSince1970 * 1000))
      let nonce = try SecretBytes.random(count: 16).reveal()
      let signature = try identity.sign(
        CommunityIdentity.Request("POST", "/room/lounge/message", body: body, nonce: nonce, at: now))
      var headers = HTTPHeaders()
      headers.append("X-SOGS-Pubkey", identity.signer.description)
      headers.append("X-SOGS-Timestamp", "\(now.seconds)")
      headers.append("X-SOGS-Nonce", nonce.base64)
      headers.append("X-SOGS-Signature", signature.base64)
      let reply = try? await client.send(
        HTTPClient.Request(.post, url + "/room/lounge/message", headers: headers, body: body))
      return reply?.status == 201 ? data.base64 : nil
    }
  }

  private func url(_ line: String) throws -> String {
    let pair = try #require(line.split(separator: " ").first { $0.hasPrefix("url=") }, "\(line)")
    return String(pair.dropFirst(4))
  }

  @Test func acknowledgedPostsSurviveAKill() async throws {
    let program = try Program()
    let made = try await program.ran(
      "server", "community", "init", "--dir", "chat", "--listen", "127.0.0.1:0")
    let key = try [UInt8](hex: made.output.trimmingCharacters(in: .newlines).utf8)
    #expect(try await run(program, "room", "add", "lounge", "--name", "The Lounge").status == 0)
    let server = try ServerProcess(program, ["server", "community", "run"] + config)
    let url = try url(try await server.line(with: "community server began"))
    let client = try HTTPClient()
    // The server dies while ten people post.
    let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
      for number in 0..<10 {
        let poster = try Poster(key, url)
        group.addTask {
          var acknowledged: [String] = []
          for _ in 0..<5 {
            if let data = try await poster.post(client) { acknowledged.append(data) }
            if number == 0, acknowledged.count == 3 { server.signal(SIGKILL) }
          }
          return acknowledged
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(await server.end() == SIGKILL)
    #expect(acknowledged.count >= 3)
    let again = try ServerProcess(program, ["server", "community", "run"] + config)
    let place = try self.url(try await again.line(with: "community server began"))
    let reply = try await client.send(
      HTTPClient.Request(.get, place + "/room/lounge/messages/recent?limit=256"))
    let stored = String(decoding: reply.body, as: UTF8.self).replacing("\\/", with: "/")
    for data in acknowledged { #expect(stored.contains(data)) }
    await client.stop()
    again.signal(SIGTERM)
    #expect(await again.end() == 0)
  }

  private func rule(_ program: Program, _ key: String) async throws {
    let link = "\(Self.url)/lounge?public_key=\(key)"
    let added = try await run(program, "room", "add", "lounge", "--name", "The Lounge")
    try #require(added.status == 0, "\(added.status): \(added.messages)")
    #expect(added.output.contains(link))
    #expect(added.output.contains("█"))
    let shown = try await run(program, "link", "lounge")
    #expect(shown.output == added.output)
    let linked = try await objects(program, "link", "lounge")
    #expect(linked.first?["link"] as? String == link)
    #expect(try await run(program, "link", "none").status == 65)
    #expect(try await run(program, "room", "add", "Lounge", "--name", "x").status == 65)
    #expect(try await run(program, "room", "add", "static", "--name", "x").status == 65)
    let changed = try await run(
      program, "room", "set", "lounge", "--permissions=-u", "--slow", "30", "--description", "quiet")
    #expect(changed.status == 0, "\(changed.messages)")
    let room = try #require(try await objects(program, "room", "show", "lounge").first)
    #expect(room["permissions"] as? String == "rwa")
    #expect(room["slow_seconds"] as? Int == 30)
    #expect(room["description"] as? String == "quiet")
    #expect(room["link"] as? String == link)
    #expect(try await objects(program, "room", "list").count == 1)
    let renamed = try await objects(program, "room", "set", "lounge", "--name", "The Parlour")
    #expect(renamed.first?["name"] as? String == "The Parlour")

    let picture = [0xFF, 0xD8, 0xFF] as [UInt8] + [UInt8](repeating: 7, count: 4_000_000)
    try Data(picture).write(to: program.path("picture.jpeg"))
    #expect(try await run(program, "room", "image", "lounge", "picture.jpeg").status == 0)
    #expect(try await objects(program, "room", "show", "lounge").first?["picture"] as? Bool == true)
    #expect(try await run(program, "room", "image", "lounge").status == 0)
    try Data("text".utf8).write(to: program.path("text.jpeg"))
    #expect(try await run(program, "room", "image", "lounge", "text.jpeg").status == 65)

    // People may be named before they come, by any of their ids.
    let person = try Account.generate().id.description
    let (moderator, ban) = (
      ["moderator", "add"], try await run(program, "ban", person, "--global", "--for", "2d")
    )
    #expect(ban.status == 0, "\(ban.messages)")
    #expect(try await objects(program, "bans").first?["id"] as? String == person)
    #expect(try await objects(program, "bans").first?["until"] is Int)
    #expect(try await run(program, "unban", person, "--global").status == 0)
    #expect(try await objects(program, "bans").isEmpty)
    #expect(
      try await run(program, moderator[0], moderator[1], person, "--room", "lounge", "--admin").status == 0)
    let role = try #require(try await objects(program, "moderator", "list").first)
    #expect(role["role"] as? String == "admin")
    #expect(role["room"] as? String == "lounge")
    #expect(try await run(program, "moderator", "remove", person, "--all-rooms").status == 0)
    #expect(try await objects(program, "moderator", "list").isEmpty)
    for words in [
      ["ban", person, "--global"], ["unban", person, "--global"],
      ["moderator", "add", person, "--room", "lounge"], ["moderator", "remove", person, "--all-rooms"],
    ] {
      #expect(try await objects(program, words).first?["count"] as? Int == 1, "\(words)")
    }
    let permission = try await objects(program, "permission", person, "+w", "--room", "lounge")
    #expect(permission.first?["permissions"] as? String == "+w")

    #expect(try await objects(program, "members", "lounge").isEmpty)
    #expect(try await objects(program, "history", "lounge", "1").isEmpty)
    #expect(try await run(program, "messages", "delete", "lounge", "1").status == 65)
    #expect(try await objects(program, "log").compactMap { $0["what"] as? String }.contains("ban"))
    #expect(try await run(program, "ban", "junk", "--global").status == 65)
    #expect(try await run(program, "ban", person).status == 64)
    #expect(try await run(program, "room", "show", "none").status == 65)

    #expect(try await run(program, "room", "add", "other", "--name", "Other").status == 0)
    #expect(try await run(program, "room", "delete", "other").status == 64)
    #expect(try await objects(program, "room", "delete", "other", "--yes").first?["count"] as? Int == 1)
    #expect(try await run(program, "room", "show", "other").status == 65)
  }

  @Test(arguments: [
    "", "folder = \".\"", "folder = \".\"\nlisten = \"127.0.0.1:0\"", "folder = \".\"\nlisten = []",
    "folder = \".\"\nlisten = [\"x\"]", "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\nblinding = \"some\"",
    "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\nurl = \"http://chat.example/\"",
    "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\ntls_key = \"key.pem\"",
    "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\nmetrics = \"192.0.2.1:1\"",
    "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\ndm_from_banned = \"maybe\"",
    "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\nmax_room_mib = 0",
    "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\nmax_request_kib = 159",
    "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\nposts_at_once = 0",
  ])
  func aConfigurationThatMakesNoSenseIsRefused(text: String) async {
    let world = MemoryIO(files: ["c.toml": text])
    #expect(await world.run(["server", "community", "run", "--config", "c.toml"]) == .data)
  }

  @Test func limitsOfTheConfigurationReachTheServer() async throws {
    let numbers = [
      "posts_at_once": 2, "posts_seconds": 3, "posts_per_day": 4, "changes_per_minute": 5,
      "requests_per_second": 6, "requests_at_once": 7, "anonymous_per_second": 8, "anonymous_per_address": 9,
      "newcomers_per_minute": 10, "uploads_per_day": 11, "upload_mb_per_day": 12,
      "newcomer_uploads_per_day": 13, "newcomer_mb_per_day": 14, "max_rooms": 15, "max_moderators": 16,
      "max_pins": 17, "max_connections": 18, "max_request_kib": 190, "max_batch_kib": 200,
      "max_work_seconds": 21, "max_room_mib": 22,
    ]
    let lines = numbers.map { "\($0.key) = \($0.value)" }.joined(separator: "\n")
    let world = MemoryIO(files: ["c.toml": "folder = \".\"\nlisten = [\"127.0.0.1:0\"]\n\(lines)"])
    let options = try CommunityServerConfiguration("c.toml", io: world.io()).options
    #expect(options.postLimit == CommunityServer.Options.Pace(2, within: 3000))
    #expect(options.postsPerDay == 4)
    #expect(options.requests.changesPerMinute == 5)
    #expect(options.requests.perPerson == 6)
    #expect(options.requests.burst == 7)
    #expect(options.requests.anonymous == 8)
    #expect(options.requests.perAddress == 9)
    #expect(options.requests.newcomersPerMinute == 10)
    let uploads = CommunityServer.Options.Uploads(
      files: 11, bytes: 12_000_000, newcomerFiles: 13, newcomerBytes: 14_000_000)
    #expect(options.uploads == uploads)
    #expect(options.maxRooms == 15)
    #expect(options.maxModerators == 16)
    #expect(options.maxPins == 17)
    #expect(options.maxConnections == 18)
    #expect(options.maxRequestBytes == 190 * 1024)
    #expect(options.maxBatchBytes == 200 * 1024)
    #expect(options.maxWork == .seconds(21))
    #expect(options.maxRoomFiles == 22 * 1024 * 1024)
  }

  @Test func theRowsOfAServerAreExportedWithoutEncryption() async throws {
    let (program, _) = try await prepared()
    #expect(try await run(program, "room", "add", "lounge", "--name", "The Lounge").status == 0)
    let server = try ServerProcess(program, ["server", "community", "run"] + config)
    _ = try await server.line(with: "community server began")
    let report = try await objects(program, "database", "export", "chat.sqlite")
    server.signal(SIGTERM)
    #expect(await server.end() == 0)
    let tables = try #require(report.first?["tables"] as? [[String: Any]])
    #expect(tables.contains { $0["table"] as? String == "room" && $0["rows"] as? Int == 1 })
    #expect(!tables.contains { ["nonce", "file_chunk"].contains($0["table"] as? String) })
    let file = try Data(contentsOf: program.path("chat.sqlite"))
    #expect(file.prefix(15) == Data("SQLite format 3".utf8))
    #expect(file.range(of: Data("The Lounge".utf8)) != nil)
    let again = try await run(program, "database", "export", "chat.sqlite")
    #expect(again.status == 73, "\(again.messages)")
    let names = try FileManager.default.contentsOfDirectory(atPath: program.path("chat").path)
    #expect(!names.contains { $0.hasPrefix("export") }, "\(names)")
  }
}
