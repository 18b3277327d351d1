import Foundation
import Glibc
import Synchronization
import Testing

/// Scripts that send messages with the real program, whatever becomes of the network and of the program.
@Suite struct SendScriptTests {
  /// `SOAK=1` sends 1,000 messages, `SOAK=N` sends N.
  private static let count =
    ProcessInfo.processInfo.environment["SOAK"].map { Int($0).flatMap { $0 > 1 ? $0 : nil } ?? 1000 } ?? 15

  /// Cuts the network and restores it again and again, on a thread of its own: the tasks of other tests must
  /// not decide when the network comes back.
  private final class Switching: Sendable {
    private static let maxFactor: UInt32 = 64

    private let isOver = Mutex(false)
    /// How many times as long as at first the network runs.
    private let factor = Mutex<UInt32>(1)
    private let (ends, ending) = AsyncStream.makeStream(of: Never.self)

    init(_ home: Household) {
      Thread.detachNewThread { [self] in
        while !isOver.withLock({ $0 }) {
          home.cutNetwork()
          usleep(UInt32.random(in: 50_000...3_000_000))
          home.restoreNetwork()
          usleep(UInt32.random(in: 20_000...600_000) * factor.withLock { $0 })
        }
        ending.finish()
      }
    }

    /// From now on the network runs twice as long each time.
    func slowDown() { factor.withLock { $0 = min($0 * 2, Self.maxFactor) } }

    /// Returns when the network runs, and is not cut any more.
    func end() async {
      isOver.withLock { $0 = true }
      // Also in a test that is cancelled.
      await Task { [ends] in for await _ in ends {} }.value
    }
  }

  /// A naive loop repeats each call with the same key until it succeeds. The exit code has to be true each time.
  @Test(.timeLimit(.minutes(10 + count))) func eachMessageArrivesOnceWhateverTheNetworkDoes() async throws {
    try await Household.with { home in
      try await home.friends()
      let switching = Switching(home)
      let sending: Result<[Int32: Int], any Error>
      do { sending = .success(try await sendAll(in: home, switching)) } catch { sending = .failure(error) }
      await switching.end()
      let statuses = try sending.get()
      print("exit codes: \(statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })")
      try await home.run("receive", "--account", "bob")
      let bodies = try await bodies(of: "alice", at: "bob", in: home).filter { $0.hasPrefix("message ") }
      #expect(bodies == (0..<Self.count).map { "message \($0)" })
    }
  }

  /// Sends all messages, and counts the exit codes.
  private func sendAll(in home: Household, _ switching: Switching) async throws -> [Int32: Int] {
    var statuses: [Int32: Int] = [:]
    for number in 0..<Self.count {
      let words = [
        "send", "bob", "message \(number)", "--key", "script:\(number)", "--timeout", "1s", "--account",
        "alice",
        "--json",
      ]
      var (status, attempts): (Int32, Int) = (-1, 0)
      while status != 0 {
        let outcome = try await home.outcome(words)
        status = outcome.status
        statuses[status, default: 0] += 1
        try await expectTruth(outcome, of: number, in: home)
        guard [0, 75, 80].contains(status) else { break }
        attempts += 1
        // On a busy machine nothing may arrive in so short a time.
        if attempts % 20 == 0 { switching.slowDown() }
      }
      #expect(status == 0)
    }
    return statuses
  }

  /// The texts of a whole conversation, the first one first.
  private func bodies(of chat: String, at account: String, in home: Household) async throws -> [String] {
    var (bodies, place) = ([String](), [String]())
    while true {
      let words = ["show", chat, "--limit", "500", "--account", account] + place
      let page = try await home.json(words)
      guard let first = page.first?["id"] as? Int else { return bodies }
      bodies = page.compactMap { $0["body"] as? String } + bodies
      place = ["--before", "\(first)"]
    }
  }

  /// 0: the message is stored. 75: nothing was kept. 80: it is kept.
  private func expectTruth(_ outcome: Program.Outcome, of number: Int, in home: Household) async throws {
    let newest = try await home.json("show", "bob", "--limit", "1", "--account", "alice")[0]
    let isKept = newest["body"] as? String == "message \(number)"
    switch outcome.status {
    case 0: #expect(isKept && newest["state"] as? String == "sent", "\(newest)")
    case 75: #expect(!isKept, "\(outcome.messages)")
    case 80:
      #expect(isKept && outcome.output.isEmpty)
      #expect(outcome.messages.contains(#""kind":"queued""#), "\(outcome.messages)")
      #expect(outcome.messages.contains(#""message_id":\#(newest["id"] as? Int ?? 0)"#))
    default: Issue.record("ended with \(outcome.status): \(outcome.messages)")
    }
  }

  @Test(.timeLimit(.minutes(10))) func messagesOfAKilledCommandAreSentOnceByTheNext() async throws {
    try await Household.with { home in
      try await home.friends()
      try Data(repeating: 7, count: 300_000).write(to: home.path("large.bin"))
      home.cutNetwork()
      let first = try home.start(
        "send", "bob", "the file", "--attach", "large.bin", "--account", "alice", "--json")
      // The message is kept before anything is sent.
      var isKept = false
      while !isKept {
        isKept =
          try await home.json("show", "bob", "--limit", "1", "--account", "alice")[0]["body"] as? String
          == "the file"
      }
      first.signal(SIGKILL)
      _ = await first.end()
      home.restoreNetwork()
      try await home.run("send", "bob", "behind it", "--account", "alice")
      try await home.run("receive", "--account", "bob")
      let shown = try await home.json("show", "alice", "--account", "bob")
      #expect(shown.compactMap { $0["body"] as? String }.suffix(2) == ["the file", "behind it"])
    }
  }

  @Test(.timeLimit(.minutes(10))) func aKeyIsForOneMessage() async throws {
    try await Household.with { home in
      try await home.friends()
      let first = try await home.run("send", "bob", "one", "--key", "k", "--account", "alice")
      #expect(try await home.run("send", "bob", "one", "--key", "k", "--account", "alice") == first)
      let again = try await home.json("send", "bob", "one", "--key", "k", "--account", "alice")
      #expect(again[0]["repeated"] as? Bool == true)
      let other = try await home.outcome(["send", "bob", "two", "--key", "k", "--account", "alice"])
      #expect(other.status == 65)
      #expect(other.messages.contains("the key 'k' was used for another message"))
      let wrong = try await home.outcome(["send", "bob", "two", "--key", "k k", "--account", "alice"])
      #expect(wrong.status == 64)
      let queued = try await home.run("send", "bob", "later", "--wait", "queued", "--account", "alice")
      #expect(Int(queued.trimmingCharacters(in: .newlines)) != nil)
    }
  }
}
