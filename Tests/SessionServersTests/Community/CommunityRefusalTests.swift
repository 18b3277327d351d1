import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// The statuses of requests that are refused.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityRefusalTests {
  @Test func unsignedChangesAreRefusedWhateverTheyCarry() async throws {
    try await withCommunity { (site) async throws in
      let id = try site.member().id
      let requests = [
        ("PUT", "/room/lobby"), ("POST", "/room/lobby/permissions/\(id)"),
        ("POST", "/room/lobby/futurePermissions/\(id)"), ("POST", "/room/lobby/message"),
        ("POST", "/inbox/\(id)"),
      ]
      for (method, path) in requests {
        for body in ["{}", "?", ""] {
          let answer = try await site.call(nil, method, path, bytes(body))
          #expect(answer.status == 401, "\(method) \(path) \(body)")
        }
      }
      try await site.server.store.write { try SQLText.defaults(0).run($0) }
      for (method, path) in requests.dropLast() {
        #expect(try await site.call(nil, method, path, bytes("?")).status == 404, "\(method) \(path)")
      }
    }
  }

  @Test func hiddenRoomsAreNotThereForAnyRequest() async throws {
    try await withCommunity { (site) async throws in
      let (member, banned) = (try site.member(), try site.member())
      try await site.post("hello", as: banned)
      try await site.server.store.write { transaction in
        try SQLText.ban.run(transaction)
        try SQLText.defaults(0).run(transaction)
      }
      let reads: [String] = [
        "", "/pollInfo/0", "/messages/recent", "/messages/before/9", "/messages/since/0", "/message/1",
        "/reactors/1/x", "/file/1", "/file/1/x", "/permissions", "/permissions/\(member.id)",
        "/futurePermissions", "/futurePermissions/\(member.id)", "/bans", "/members", "/log",
      ]
      for caller in [nil, member, banned] {
        let post = try (caller ?? member).post("x").description
        let changes: [(String, String, String)] = [
          ("PUT", "", #"{"name":"x"}"#), ("PUT", "/message/1", post), ("PUT", "/reaction/1/x", "{}"),
          ("POST", "/message", post), ("POST", "/file", "x"), ("POST", "/pin/1", "{}"),
          ("POST", "/unpin/1", "{}"), ("POST", "/unpin/all", "{}"),
          ("POST", "/permissions/\(member.id)", #"{"read":true}"#),
          ("POST", "/futurePermissions/\(member.id)", #"{"in":5,"read":true}"#),
          ("DELETE", "/message/1", ""), ("DELETE", "/all/\(banned.id)", ""), ("DELETE", "/reaction/1/x", ""),
          ("DELETE", "/reactions/1", ""), ("DELETE", "/reactions/1/x", ""),
        ]
        let requests: [(String, String, String)] = reads.map { ("GET", $0, "") } + changes
        for (method, path, body) in requests {
          let answer = try await site.call(caller, method, "/room/lobby\(path)", bytes(body))
          #expect(answer.status == 404, "\(method) \(path)")
          #expect(answer.text == "No such room", "\(method) \(path)")
        }
      }
    }
  }

  @Test func batchesOfThoseWhoAreBannedDoNothing() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      try await site.post("hello", as: member)
      try await site.server.store.write { try $0.run("UPDATE person SET banned = 1") }
      let post = try member.post("x").description
      let elements =
        #"[{"method":"GET","path":"/rooms"},{"method":"POST","path":"/room/lobby/message","json":\#(post)}]"#
      for path in ["/batch", "/sequence"] {
        let answer = try await site.call(member, "POST", path, bytes(elements))
        #expect(answer.status == 403 && answer.text == "Banned")
      }
      #expect(try await site.texts(nil, "/room/lobby/messages/recent") == ["hello"])
    }
  }

  @Test func roomsThatAreNotThereAreRefusedAsOthers() async throws {
    try await withCommunity { (site) async throws in
      try await site.addRoom("hidden")
      try await site.server.store.write { try $0.run("UPDATE room SET defaults = 0 WHERE token = 'hidden'") }
      let (member, other) = (try site.member(), try site.member())
      for room in ["lobby", "hidden", "none"] {
        let json: JSONValue = ["rooms": [.string(room)], "moderator": true]
        for path in ["ban", "unban", "moderator"] {
          let answer = try await site.call(member, "POST", "/user/\(other.id)/\(path)", json: json)
          #expect(answer.status == 403)
          #expect(answer.text == "Permission denied")
        }
      }
    }
  }

  @Test func filesAreClosedToThoseWhoAreBanned() async throws {
    try await withCommunity { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      _ = try await site.call(member, "GET", "/rooms")
      #expect(try await site.call(other, "POST", "/room/lobby/file", bytes("x")).status == 201)
      let json = try other.post("with a file", [.init("files", [1])])
      #expect(try await site.call(other, "POST", "/room/lobby/message", json: json).status == 201)
      #expect(try await site.call(member, "GET", "/room/lobby/file/1").status == 200)
      try await site.server.store.write { try SQLText.ban.run($0) }
      for path in ["/room/lobby/file/1", "/room/lobby/file/1/x", "/room/lobby/file/9"] {
        #expect(try await site.call(member, "GET", path).status == 403)
      }
      #expect(try await site.call(nil, "GET", "/room/lobby/file/1").status == 200)
      try await site.server.store.write { try SQLText.defaults(0).run($0) }
      #expect(try await site.call(member, "GET", "/room/lobby/file/1").status == 404)
    }
  }

  @Test func browsersGuessNoTypeOfAnyAnswer() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      let long = [UInt8](repeating: 1, count: 11_000_000)
      let answers = [
        try await site.send("GET", "/rooms", headers: []),
        try await site.send("GET", "/none/none", headers: []),
        try await site.send("PATCH", "/rooms", headers: []),
        try await site.send("GET", "/rooms", headers: [("X-SOGS-Pubkey", "x")]),
        try await site.send("POST", OnionHTTPServer.onionPath, headers: [], bytes("junk")),
        try await site.send("GET", OnionHTTPServer.onionPath, headers: []),
        try await site.call(member, "POST", "/room/lobby/file", long),
        try await site.call(nil, "GET", "/lobby"),
      ]
      #expect(answers.map(\.status) == [200, 404, 405, 400, 400, 405, 413, 200])
      for answer in answers { #expect(answer.headers.values(of: "X-Content-Type-Options") == ["nosniff"]) }
    }
  }
}
