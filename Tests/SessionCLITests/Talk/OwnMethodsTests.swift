import Foundation
import Glibc
import SessionBase
import SessionCore
import Spawning
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// The methods that no command has the parameters of, and what methods do otherwise than commands.
@Suite(.timeLimit(.minutes(10))) struct OwnMethodsTests {
  /// Does something with a client of a daemon, and the ids of alice and bob, who know each other.
  private func withClient(
    _ body: (Household, RPCClient, _ alice: JSONValue, _ bob: JSONValue) async throws -> Void
  ) async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.with(daemon: true) {
        let client = try RPCClient(to: home.path(".local/state/session/run/daemon.sock").path)
        let alice = try await client.result("account.show", ["account": "alice"])["id"] ?? .null
        let bob = try await client.result("account.show", ["account": "bob"])["id"] ?? .null
        _ = try await client.result("hello", ["account": "alice"])
        try await body(home, client, alice, bob)
        client.close()
      }
    }
  }

  @Test func conversationsMessagesAndDraftsAreReadOneByOne() async throws {
    try await withClient { home, client, _, bob in
      let sent = try await client.result("send", ["to": bob, "text": "One"])
      #expect(try await client.result("message.get", ["id": sent["id"] ?? .null])["body"] == "One")
      #expect(try await client.result("chat.get", ["chat": bob])["last"]?["body"] == "One")
      _ = try await client.result("draft.set", ["chat": bob, "text": "Half a"])
      #expect(try await client.result("draft.get", ["chat": bob])["text"] == "Half a")
      _ = try await client.result("draft.set", ["chat": bob])
      #expect(try await client.result("draft.get", ["chat": bob])["text"] == "")
      _ = try await client.result("settings.set", ["setting": "typing", "value": true])
      #expect(try await client.result("typing", ["chat": bob, "state": true])["type"] == "done")
      let stranger: JSONValue = .string("05" + String(repeating: "1", count: 64))
      for (method, params, kind) in [
        ("message.get", ["id": 9999], "no-message"), ("message.get", ["id": 0], "invalid-params"),
        ("message.get", [:], "invalid-params"), ("chat.get", ["chat": stranger], "no-conversation"),
        ("chat.get", ["chat": "bob"], "unknown-person"), ("chat.get", ["chat": 5], "invalid-params"),
        ("typing", ["chat": bob, "state": "on"], "invalid-params"),
        ("draft.get", ["chat": bob, "txt": "x"], "invalid-params"),
        ("sync", ["timeout_ms": 0], "invalid-params"),
        ("attachment.read", ["message": sent["id"] ?? .null, "number": 1], "no-attachment"),
        ("attachment.read", ["message": 9999, "number": 1], "no-message"),
        ("attachment.read", ["message": 1, "number": 1, "length": 262_145], "invalid-params"),
        ("attachment.read", ["message": 1, "number": 1, "fd": true, "at": 0], "invalid-params"),
        ("attachment.save", ["id": sent["id"] ?? .null], "invalid-params"),
        ("attachment.save", ["id": sent["id"] ?? .null, "to": "here"], "invalid-params"),
        ("show", ["chat": bob, "limit": 501], "invalid-params"),
        ("send", ["to": bob, "text": "x", "wait": "later"], "invalid-params"), ("send", ["to": bob], "data"),
      ] as [(String, JSONValue, String)] {
        await #expect("\(method) \(params)") { try await client.call(method, params) } throws: { error in
          (error as? RPCError)?.kind == kind
        }
      }
    }
  }

  @Test func listsSayWhetherThereIsMoreAndWhere() async throws {
    try await withClient { home, client, _, bob in
      for number in 1...3 {
        _ = try await client.result("send", ["to": bob, "text": .string("page \(number)")])
      }
      func page(_ params: JSONValue.Member...) async throws -> JSONValue {
        try await client.result("show", .object([.init("chat", bob), .init("limit", 2)] + params))
      }
      func bodies(_ page: JSONValue) -> [String?] {
        guard case .array(let items)? = page["items"] else { return [] }
        return items.map { $0["body"]?.string }
      }
      let newest = try await page()
      #expect(bodies(newest) == ["page 2", "page 3"])
      #expect(newest["more"] == true)
      let before = try await page(.init("before", newest["next"] ?? .null))
      #expect(bodies(before).last == "page 1")
      let all = try await client.result("show", ["chat": bob, "limit": 500])
      #expect(all["more"] == false && all["next"] == nil)
      let found = try await client.result("search", ["words": "page", "limit": 1])
      #expect(found["more"] == true)
      // Numbers of milliseconds, where the command line has units.
      _ = try await client.result("timer", ["chat": bob, "mode": "after-send", "time_ms": 3_600_000])
      #expect(try await client.result("chat.get", ["chat": bob])["timer"]?["seconds"] == 3600)
      _ = try await client.result("mute", ["chat": bob, "time_ms": 60_000])
      #expect(try await client.result("chat.get", ["chat": bob])["muted_until"] != nil)
      _ = try await client.result("contacts.downloads", ["person": bob, "state": true])
    }
  }

  @Test func filesAreReadInPartsAndSaved() async throws {
    try await withClient { home, client, _, bob in
      let content = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      try Data(content).write(to: home.path("numbers.bin"))
      let sent = try await client.result(
        "send", ["to": bob, "attach": .string(home.path("numbers.bin").path)])
      let id = sent["id"] ?? .null
      var read: [UInt8] = []
      var isOver = false
      while !isOver {
        let part = try await client.result(
          "attachment.read", ["message": id, "number": 1, "at": .integer(Int64(read.count))])
        #expect(part["size"] == 400_000)
        read += Array(Data(base64Encoded: part["data"]?.string ?? "") ?? Data())
        isOver = part["end"] == true
      }
      #expect(read == content)
      let few = try await client.result(
        "attachment.read", ["message": id, "number": 1, "at": 10, "length": 3])
      #expect(few["data"]?.string == Data(content[10..<13]).base64EncodedString())
      #expect(few["end"] == false)
      let behind = try await client.result("attachment.read", ["message": id, "number": 1, "at": 400_000])
      #expect(behind["data"] == "" && behind["end"] == true)
      let whole: JSONValue = ["message": id, "number": 1, "fd": true]
      let (passed, descriptors) = try await client.reply(to: "attachment.read", params: whole.description)
      #expect(ResultChecker.mistake(in: passed, of: "attachment.read") == nil)
      #expect(passed["fd"] == 0 && passed["data"] == nil && descriptors.count == 1)
      let descriptor = try #require(descriptors.first)
      #expect(try Data(contentsOf: URL(filePath: descriptor.path)) == Data(content))
      #expect(fcntl(descriptor.descriptor, F_GETFL) & O_ACCMODE == O_RDONLY)
      // Clients of a further socket get a pipe, which costs no memory.
      try FileManager.default.createDirectory(
        at: home.path(".config/session/sockets.d"), withIntermediateDirectories: true)
      let socket = home.path("bots.sock").path
      try home.program.writeSecret(
        "path = \"\(socket)\"\nscopes = [\"read\"]\n", to: ".config/session/sockets.d/bots.toml")
      try await home.run("daemon", "reload")
      let (piped, pipes) = try await RPCClient(to: socket).reply(
        to: "attachment.read",
        params: JSONValue.object([
          .init("account", "alice"), .init("message", id), .init("number", 1), .init("fd", true),
        ])
        .description)
      #expect(piped["size"] == 400_000 && pipes.count == 1)
      var status = stat()
      let pipe = try #require(pipes.first)
      #expect(fstat(pipe.descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
      let arrived = try await WorkerQueue("pipe").run {
        try OpenFile(reading: pipe.path).readAll(upTo: 500_000)
      }
      #expect(arrived == content)
      let target = home.path("saved.bin").path
      let saved = try await client.result("attachment.save", ["id": id, "number": 1, "to": .string(target)])
      guard case .array(let files)? = saved["items"] else {
        Issue.record("no list of files")
        return
      }
      #expect(files.map { $0["path"]?.string } == [target])
      #expect(try Data(contentsOf: home.path("saved.bin")) == Data(content))
    }
  }

  @Test func filesComeWithACall() async throws {
    try await withClient { home, client, _, bob in
      let params: JSONValue = [
        "to": bob, "key": "files",
        "attach": .array([
          ["fd": 0, "name": "first.txt", "caption": "one"], ["data": "c2Vjb25k", "name": "../second.txt"],
        ]),
      ]
      func send() async throws -> JSONValue {
        try await client.call("send", params: params.description, [PassedFile(holding: Array("first".utf8))])
      }
      let sent = try await send()
      let id = sent["id"] ?? .null
      // The content decides whether a call is the same, not its way here.
      #expect(try await send()["id"] == id)
      guard case .array(let files)? = try await client.result("attachment.list", ["id": id])["items"] else {
        Issue.record("no list of files")
        return
      }
      #expect(files.map { $0["name"] } == ["first.txt", "second.txt"])
      #expect(files.first?["caption"] == "one")
      for (number, text) in [(1, "first"), (2, "second")] {
        let part = try await client.result(
          "attachment.read", ["message": id, "number": .integer(Int64(number))])
        #expect(part["data"]?.string == Data(text.utf8).base64EncodedString())
      }
      let pipe = Pipe.closedOnExec()
      await #expect {
        let file = PassedFile(adopting: dup(pipe.fileHandleForReading.fileDescriptor))
        _ = try await client.call("send", params: params.description, [file])
      } throws: { ($0 as? RPCError)?.kind == "invalid-params" }
    }
  }

  @Test func messageRequestsAreLeftOutOnRequest() async throws {
    try await withClient { home, client, _, bob in
      for reader in ["all", "known"] {
        _ = try await client.result("events.next", ["reader": .string(reader)])
      }
      _ = try await home.account("carol")
      let alice = try await client.result("account.show", ["account": "alice"])["id"] ?? .null
      for (account, text) in [("carol", "A stranger"), ("bob", "A friend")] {
        _ = try await client.result(
          "send", ["account": .string(account), "to": alice, "text": .string(text), "wait": "stored"])
        _ = try await client.result("sync")
      }
      func texts(_ reader: JSONValue, _ includesRequests: JSONValue) async throws -> [JSONValue?] {
        let page = try await client.result(
          "events.next",
          [
            "reader": reader, "requests": includesRequests, "kinds": .array(["messageReceived"]),
            "wait_ms": 20_000,
          ])
        guard case .array(let items)? = page["items"] else { return [] }
        return items.map { $0["message"]?["body"] }
      }
      #expect(try await texts("all", true) == ["A stranger", "A friend"])
      #expect(try await texts("known", false) == ["A friend"])
    }
  }

  @Test func accountsAndTheMachineAreLookedAtBesideTheServer() async throws {
    try await withClient { home, client, alice, _ in
      func names(_ list: JSONValue, _ member: String) -> [String?] {
        guard case .array(let items)? = list["items"] else { return [] }
        return items.map { $0[member]?.string }
      }
      #expect(names(try await client.result("account.list"), "name") == ["alice", "bob"])
      #expect(try await client.result("version")["version"]?.string == SessionTool.version)
      #expect(try await client.result("db.check")["v"] == 1)
      #expect(names(try await client.result("doctor", ["offline": true]), "check").contains("folders"))
      #expect(try await client.result("net.status")["state"] == "connected")
      func unread() async throws -> [Int64?] {
        let badge = try await client.result("badge")
        guard case .array(let accounts)? = badge["accounts"] else { return [] }
        #expect(accounts.map { $0["name"] } == ["alice", "bob"])
        let counts = accounts.map { $0["unread"]?.integer }
        #expect(badge["unread"]?.integer == counts.reduce(0) { $0 + ($1 ?? 0) })
        return counts
      }
      #expect(try await client.result("sync", ["timeout_ms": 30_000])["caught_up"] == true)
      let before = try await unread()[0] ?? 0
      _ = try await client.result("send", ["account": "bob", "to": alice, "text": "News", "wait": "stored"])
      #expect(try await client.result("sync", ["timeout_ms": 30_000])["caught_up"] == true)
      #expect(try await unread()[0] == before + 1)
      #expect(try await client.result("rpc.discover") == OpenRPC.document)
    }
  }

  @Test func filesAreSentInPieces() async throws {
    try await withClient { home, client, _, bob in
      let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let upload = try await client.result("file.begin", ["name": "many.bin", "size": 300_000])
      let id = upload["upload"] ?? .null
      for start in [0, 262_144] {
        let piece = Data(content[start..<min(start + 262_144, content.count)]).base64EncodedString()
        _ = try await client.result(
          "file.chunk", ["upload": id, "at": .integer(Int64(start)), "data": .string(piece)])
      }
      let file = try await client.result("file.end", ["upload": id])["file"] ?? .null
      // It can be sent several times.
      for caption in ["one", "two"] {
        let attach: JSONValue = .array([["file": file, "caption": .string(caption)]])
        let sent = try await client.result("send", ["to": bob, "attach": attach])
        let list = try await client.result("attachment.list", ["id": sent["id"] ?? .null])
        guard case .array(let files)? = list["items"] else { throw RPCError(65, "no-list", "no list") }
        #expect(files.map { $0["name"] } == ["many.bin"] && files.first?["size"] == 300_000)
        #expect(files.first?["caption"]?.string == caption)
      }
      // A message has a limited number of files, and none is read beyond it.
      let many = JSONValue.array(Array(repeating: ["file": file], count: VisibleMessage.maxAttachments + 1))
      await #expect {
        _ = try await client.call("send", ["to": bob, "attach": many])
      } throws: { ($0 as? RPCError)?.kind == "invalid-params" }
      let twice = try await client.result(
        "send", ["to": bob, "attach": .array([["file": file], ["file": file]])])
      guard
        case .array(let both)? = try await client.result("attachment.list", ["id": twice["id"] ?? .null])[
          "items"]
      else { throw RPCError(65, "no-list", "no list") }
      #expect(both.map { $0["size"] } == [300_000, 300_000])
      _ = try await client.result("file.drop", ["file": file])
      await #expect {
        _ = try await client.call("send", ["to": bob, "attach": ["file": file]])
      } throws: { ($0 as? RPCError)?.kind == "no-file" }
    }
  }

  @Test func changesSettleEvents() async throws {
    try await withClient { home, client, _, bob in
      let sent = try await client.result("send", ["to": bob, "text": "One"])
      let messages = try await client.result("events.next", ["reader": "other"])
      let cursor = messages["cursor"] ?? .null
      func acknowledged(_ reader: String) async throws -> JSONValue? {
        guard case .array(let readers)? = try await client.result("readers.list")["items"] else { return nil }
        return readers.first { $0["name"]?.string == reader }?["cursor"]
      }
      for (method, params) in [
        ("react", ["id": sent["id"] ?? .null, "emoji": "👍"]), ("read", ["chat": bob]),
        ("pin", ["chat": bob]), ("delete", ["id": sent["id"] ?? .null]),
      ] as [(String, JSONValue)] {
        guard case .object(let members) = params else { continue }
        let ack = JSONValue.Member("ack", ["reader": .string(method), "cursor": cursor])
        _ = try await client.result(method, .object(members + [ack]))
        #expect(try await acknowledged(method) == cursor, "\(method)")
      }
      for (method, params) in [
        ("chats", ["ack": ["reader": "x", "cursor": cursor]]),
        ("pin", ["chat": bob, "ack": ["reader": "x", "cursor": 4_503_599_627_370_496]]),
        ("pin", ["chat": bob, "ack": 5]),
      ] as [(String, JSONValue)] {
        await #expect("\(method)") { try await client.call(method, params) } throws: { error in
          ["invalid-params", "unknown-cursor"].contains((error as? RPCError)?.kind)
        }
      }
      #expect(try await acknowledged("x") == nil)
    }
  }

  @Test func searchResultsComePageByPage() async throws {
    try await withClient { home, client, _, bob in
      for number in 1...3 {
        _ = try await client.result("send", ["to": bob, "text": .string("needle \(number)")])
      }
      var (bodies, next): ([JSONValue?], JSONValue?) = ([], nil)
      repeat {
        let before = next.map { [JSONValue.Member("before", $0)] } ?? []
        let page = try await client.result(
          "search", .object([.init("words", "needle"), .init("limit", 1)] + before))
        guard case .array(let items)? = page["items"] else { return }
        bodies += items.map { $0["body"] }
        next = page["next"]
        #expect((next != nil) == (page["more"] == true))
      } while next != nil && bodies.count < 10
      #expect(bodies == ["needle 3", "needle 2", "needle 1"])
    }
  }

  @Test func anAccountIsSuspendedAndTheDaemonEnded() async throws {
    try await Household.with { home in
      try await home.friends()
      let daemon = try home.start(words: ["daemon"])
      let client = try await Self.client(of: home)
      func state() async throws -> JSONValue? {
        guard case .array(let accounts)? = try await client.result("daemon.status")["accounts"] else {
          return nil
        }
        return accounts.first { $0["name"] == "alice" }?["state"]
      }
      _ = try await client.result("account.suspend", ["name": "alice"])
      #expect(try await state() == "suspended")
      #expect(try await home.outcome(["account", "resume", "alice"]).messages == "Resumed alice.\n")
      #expect(try await state() == "running")
      #expect(try await home.outcome(["account", "suspend", "alice"]).status == 0)
      #expect(try await client.result("chats", ["account": "alice"])["more"] == false)
      for method in ["account.suspend", "account.lock"] {
        await #expect("\(method)") { try await client.call(method, ["name": "nobody"]) } throws: {
          ($0 as? RPCError)?.kind == "no-account"
        }
      }
      await #expect { try await client.call("account.lock", ["name": "alice"]) } throws: {
        ($0 as? RPCError)?.kind == "passphrase-not-set"
      }
      _ = try await client.result("daemon.stop")
      #expect(await daemon.end() == 0)
      #expect(try await home.outcome(["account", "suspend", "alice"]).status == 69)
    }
  }

  /// A client of a daemon that has just been started.
  private static func client(of home: Household) async throws -> RPCClient {
    let path = home.path(".local/state/session/run/daemon.sock").path
    while true {
      if let client = try? RPCClient(to: path) {
        _ = try await client.call("account.show", ["account": "alice"])
        return client
      }
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
