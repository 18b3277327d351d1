import Foundation
import SessionBase
import Synchronization
import Testing

@testable import SessionDaemon

/// The daemon is killed at random moments, while clients send with keys and readers acknowledge.
@Suite(.timeLimit(.minutes(120))) struct DaemonKillTests {
  private static let rounds = ProcessInfo.processInfo.environment["SOAK"] == nil ? 6 : 500

  @Test func killsLoseNothingAndDoubleNothing() async throws {
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      var daemon = try await DaemonTests.started(home)
      let path = home.path(".local/state/session/run/daemon.sock").path
      // It subscribes, and never reads.
      let stuck = try StreamSocket.connect(to: path)
      let call =
        #"{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"account":"bob","reader":"stuck"}}"#
      try await stuck.write(Array("\(call)\n".utf8))
      let readers = (0..<3).map { KillReader("r\($0)", at: path) }
      let readings = readers.map { reader in Task { try await reader.run() } }
      for reader in readers { await reader.isRegistered.wait() }
      let senders = (0..<3).map { KillSender("s\($0)", to: bob, at: path) }
      let sendings = senders.map { sender in Task { try await sender.run() } }

      for round in 0..<Self.rounds {
        if round % 3 == 0 {
          // Any moment will do, also while the daemon starts.
          try await Task.sleep(for: .milliseconds(.random(in: 0...600)))
        } else {
          await readers[round % readers.count].untilSeen(more: .random(in: 1...8))
        }
        daemon.signal(SIGKILL)
        _ = await daemon.end()
        daemon = try ServerProcess(home.program, ["daemon"])
      }
      for sender in senders { sender.finish() }
      var texts: [String] = []
      for sending in sendings { texts += try await sending.value }
      print("\(Self.rounds) kills, \(texts.count) messages")
      for (reader, reading) in zip(readers, readings) {
        await reader.untilSeen(more: texts.count - reader.seen.count)
        reading.cancel()
        _ = await reading.result
        #expect(reader.seen.map(\.text).sorted() == texts.sorted())
        #expect(reader.seen.map(\.cursor) == reader.seen.map(\.cursor).sorted())
        #expect(reader.repeated == [], "acknowledged events came again")
      }
      let client = try DaemonTests.client(home)
      for (account, chat) in [("alice", bob), ("bob", readers[0].sender)] {
        var (bodies, before) = ([String](), JSONValue?.none)
        repeat {
          var params: [JSONValue.Member] = [
            .init("account", .string(account)), .init("chat", .string(chat)), .init("limit", 500),
          ]
          if let before { params.append(.init("before", before)) }
          let page = try await client.result("show", .object(params))
          guard case .array(let items)? = page["items"] else { break }
          bodies += items.compactMap { $0["body"]?.string }.filter { $0.hasPrefix("s") }
          before = page["more"] == true ? page["next"] : nil
        } while before != nil
        #expect(bodies.sorted() == texts.sorted(), "\(account)")
      }
      stuck.close()
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }
}

/// A client that connects again whenever the daemon has died.
private func calling<R: Sendable>(
  _ path: String, hear: @escaping @Sendable (String, JSONValue) -> Void = { _, _ in },
  _ body: (RPCClient) async throws -> R
) async throws -> R {
  while true {
    try Task.checkCancellation()
    do {
      let client = try RPCClient(to: path, hear: hear)
      defer { client.close() }
      return try await body(client)
    } catch is RPCClient.Gone {
      // It died.
    } catch is FileError {
      // It does not listen yet. The system reports no event when it does.
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

/// Sends one message after the other, each of them until the daemon has answered.
private final class KillSender: Sendable {
  private let name: String
  private let person: String
  private let path: String
  private let isFinished = Mutex(false)

  init(_ name: String, to person: String, at path: String) {
    (self.name, self.person, self.path) = (name, person, path)
  }

  func finish() { isFinished.withLock { $0 = true } }

  /// Returns what was sent.
  func run() async throws -> [String] {
    var texts: [String] = []
    while !isFinished.withLock({ $0 }) {
      let text = "\(name)-\(texts.count)"
      _ = try await calling(path) { [person] client in
        try await client.result(
          "send", ["account": "alice", "to": .string(person), "text": .string(text), "key": .string(text)])
      }
      texts.append(text)
    }
    return texts
  }
}

/// Acknowledges each event after it has seen it.
private final class KillReader: Sendable {
  struct Seen: Sendable {
    let cursor: Int64
    let text: String
  }

  private struct State {
    var seen: [Seen] = []
    var acknowledged: Int64 = 0
    var repeated: [Int64] = []
    var sender = ""
  }

  let isRegistered = Latch()
  private let name: String
  private let path: String
  private let state = Mutex(State())
  private let (changes, changing) = AsyncStream.makeStream(of: Int.self)

  var seen: [Seen] { state.withLock { $0.seen } }
  /// The events that came although they were acknowledged.
  var repeated: [Int64] { state.withLock { $0.repeated } }
  var sender: String { state.withLock { $0.sender } }

  init(_ name: String, at path: String) { (self.name, self.path) = (name, path) }

  /// Returns when it has seen so many more events.
  func untilSeen(more count: Int) async {
    let wanted = seen.count + count
    guard count > 0 else { return }
    for await number in changes where number >= wanted { return }
  }

  func run() async throws {
    while true {
      let (events, hearing) = AsyncStream.makeStream(of: JSONValue.self)
      let hear: @Sendable (String, JSONValue) -> Void = { method, params in
        if method == "event", let event = params["event"] { hearing.yield(event) }
      }
      try await calling(path, hear: hear) { client in
        _ = try await client.result(
          "events.subscribe",
          [
            "account": "bob", "reader": .string(name), "kinds": ["messageReceived"], "incoming": true,
            "take_over": true, "window": 3,
          ])
        isRegistered.open()
        let ending = Task {
          await client.waitUntilGone()
          hearing.finish()
        }
        defer { ending.cancel() }
        for await event in events {
          guard let cursor = event["cursor"]?.integer else { continue }
          take(event, cursor)
          _ = try await client.result(
            "events.ack", ["account": "bob", "reader": .string(name), "cursor": .integer(cursor)])
          state.withLock { $0.acknowledged = cursor }
        }
      }
      try Task.checkCancellation()
    }
  }

  private func take(_ event: JSONValue, _ cursor: Int64) {
    let count = state.withLock { state in
      if cursor <= state.acknowledged { state.repeated.append(cursor) }
      if let sender = event["conversation"]?.string { state.sender = sender }
      // An event that was not acknowledged may come again.
      if !state.seen.contains(where: { $0.cursor == cursor }) {
        state.seen.append(Seen(cursor: cursor, text: event["message"]?["body"]?.string ?? ""))
      }
      return state.seen.count
    }
    changing.yield(count)
  }
}
