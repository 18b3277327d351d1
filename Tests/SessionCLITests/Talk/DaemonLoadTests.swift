import Foundation
import SessionBase
import Testing

@testable import SessionDaemon

/// More clients and accounts than a daemon usually has.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DaemonLoadTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SOAK"] != nil

  /// Each message is sent once, although each call is made twice, over different connections.
  @Test func fiftyClientsSendAtOnceAndEachMessageArrivesOnce() async throws {
    let each = Self.isSoak ? 40 : 2
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      let daemon = try await DaemonTests.started(home)
      let (heard, hearing) = AsyncStream.makeStream(of: String.self)
      let reader = try DaemonTests.client(home) { method, params in
        if method == "event", let text = params["event"]?["message"]?["body"]?.string { hearing.yield(text) }
      }
      _ = try await reader.result(
        "events.subscribe",
        ["reader": "load", "account": "bob", "kinds": ["messageReceived"], "incoming": true])
      let clients = try (0..<50).map { _ in try DaemonTests.client(home) }
      var texts: [String: Set<Int64>] = [:]
      try await withThrowingTaskGroup(of: [(String, Int64)].self) { group in
        for (index, client) in clients.enumerated() {
          group.addTask {
            var sent: [(String, Int64)] = []
            for call in 0..<each * 2 {
              let text = "\((index + call % 2) % clients.count)-\(call / 2)"
              let result = try await client.result(
                "send", ["account": "alice", "to": .string(bob), "text": .string(text), "key": .string(text)])
              sent.append((text, try #require(result["id"]?.integer)))
            }
            return sent
          }
        }
        for try await sent in group { for (text, id) in sent { texts[text, default: []].insert(id) } }
      }
      #expect(texts.count == 50 * each && texts.values.allSatisfy { $0.count == 1 })
      #expect(Set(texts.values.joined()).count == texts.count)
      var (arrived, arrivals) = ([String](), heard.makeAsyncIterator())
      while arrived.count < texts.count, let text = await arrivals.next() { arrived.append(text) }
      #expect(arrived.sorted() == texts.keys.sorted())
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  /// The daemon serves as many clients as it says, however few files its starter lets it open.
  @Test func clientsBeyondTheLimitAreToldAndOthersAreServed() async throws {
    OpenFileLimit.raise()
    try await Household.with { home in
      _ = try await home.account("alice")
      let starter = home.path("few-files")
      try Data("#!/bin/sh\nulimit -S -n 256\nexec \"$@\"\n".utf8).write(to: starter)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: starter.path)
      let daemon = try ServerProcess(home.program, ["daemon"], startedBy: starter.path)
      _ = try await daemon.line(with: "accounts are open")
      var clients: [RPCClient] = []
      for _ in 0..<RPCLimits.connections { clients.append(try DaemonTests.client(home)) }
      for client in clients { #expect(try await client.result("daemon.ping")["at"] != nil) }
      let path = home.path(".local/state/session/run/daemon.sock").path
      var refusal = LineReader(try StreamSocket.connect(to: path), limit: RPCLimits.line)
      let line = try await refusal.next().map { try JSONReader.value(of: $0.bytes) }
      #expect(line?["error"]?["data"]?["kind"] == "limit-reached")
      clients.removeLast().close()
      // The daemon sees the end of a connection a moment later.
      while (try? await DaemonTests.client(home).result("daemon.ping")) == nil {
        try Task.checkCancellation()
      }
      for client in clients { client.close() }
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  @Test(.enabled(if: isSoak, "the long runs only"))
  func aThousandAccountsAreOpenedAndServed() async throws {
    let count = 1000
    try await Household.with { home in
      for number in 0..<count { _ = try await home.account("a\(number)") }
      let begin = ContinuousClock.now
      let daemon = try await DaemonTests.started(home)
      let opened = ContinuousClock.now - begin
      let client = try DaemonTests.client(home)
      var ids: Set<String> = []
      for number in 0..<count {
        let shown = try await client.result("account.show", ["account": .string("a\(number)")])
        if let id = shown["id"]?.string { ids.insert(id) }
      }
      #expect(ids.count == count)
      let status = try await client.result("daemon.status")
      guard case .array(let accounts)? = status["accounts"] else { throw RPCError.invalidParams("none") }
      #expect(accounts.count == count && accounts.allSatisfy { $0["state"] == "running" })
      print("\(count) accounts: opened in \(opened), \((status["memory"]?.integer ?? 0) >> 20) MiB")
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }
}
