import Folders
import Foundation
import SessionBase
import SessionCore
import SessionMessaging
import Testing

@testable import SessionDaemon

/// Events on their way through the programs of hooks.
@Suite struct HookWorkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A hook for changes of the profile, whose program is a script.
  private func hook(_ script: String, _ change: (inout Hook) -> Void = { _ in }) -> Hook {
    var hook = Hook("test", ["/bin/sh", "-c", script])
    hook.kinds = [.profileChanged]
    hook.isIncoming = false
    hook.delay = .milliseconds(1)
    change(&hook)
    return hook
  }

  /// Runs a hook until a condition holds.
  private func running(
    _ hook: Hook, _ account: ReadAccount, until isDone: () async throws -> Bool
  ) async throws {
    let setting = Hooks.Setting(
      environment: ["PATH": "/usr/bin:/bin", "SECRET": "x"], socket: "/socket", logs: folder.url.path,
      tell: { _ in },
      render: { delivered, _ in
        "{\"cursor\":\(delivered.event.id.rawValue),\"tries\":\(delivered.tries ?? 0)}"
      })
    let hooks = Hooks([hook], account.accounts, setting)
    let task = Task { await hooks.run() }
    while try await !isDone() { await Task.yield() }
    task.cancel()
    await task.value
  }

  private func lines(_ name: String) -> [String] {
    let text = (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  @Test func handledEventsAreAcknowledgedInOrder() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    var made: [MessengerEvent.Cursor] = []
    for _ in 0..<3 { made.append(try await account.happen()) }
    let script = "cat >> '\(folder.path("events"))'"
    try await running(hook(script) { $0.concurrency = 2 }, account) {
      try await messenger.cursor(of: "hook:test") == made[2]
    }
    #expect(lines("events") == made.map { "{\"cursor\":\($0.rawValue),\"tries\":1}" })
    await messenger.stop()
  }

  @Test func anEventThatFailsIsTriedAgainAndThenSetAside() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    let (bad, good) = (try await account.happen(), try await account.happen())
    let script = """
      cat >> '\(folder.path("events"))'; echo "try of $SESSION_CURSOR" >&2; [ $SESSION_CURSOR != \(bad.rawValue) ]
      """
    try await running(hook(script) { $0.tries = 2 }, account) {
      try await messenger.cursor(of: "hook:test") == good
    }
    #expect(lines("events").map { $0.suffix(2) } == ["1}", "2}", "1}"])
    let dead = try await messenger.deadEvents(of: "hook:test")
    #expect(dead.map(\.event.id) == [bad] && dead[0].tries == 2)
    #expect(dead.first?.reason == "the program ended with 1")
    #expect(lines("hook-test.log").contains("try of \(bad.rawValue)"))
    await messenger.stop()
  }

  @Test func aFailureCanBeSkipped() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    let event = try await account.happen()
    let skipping = hook("kill -SEGV $$") {
      $0.tries = 2
      $0.failing = .skip
    }
    try await running(skipping, account) { try await messenger.cursor(of: "hook:test") == event }
    #expect(try await messenger.deadEvents().isEmpty)
    await messenger.stop()
  }

  @Test func aLaterTimeDoesNotCountAsAFailure() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    let event = try await account.happen()
    let file = folder.path("count")
    let script = "echo >> '\(file)'; [ $(wc -l < '\(file)') -ge 5 ] || exit 75"
    try await running(hook(script) { $0.tries = 1 }, account) {
      try await messenger.cursor(of: "hook:test") == event
    }
    #expect(try await messenger.deadEvents().isEmpty)
    await messenger.stop()
  }

  @Test func variablesHaveNothingThatOthersWrote() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    let event = try await account.happen()
    let script = "env | grep -v -E '^(PWD|OLDPWD|SHLVL|_)=' | sort > '\(folder.path("variables"))'"
    try await running(hook(script) { $0.environment = ["OWN": "a b"] }, account) {
      try await messenger.cursor(of: "hook:test") == event
    }
    #expect(
      lines("variables") == [
        "OWN=a b", "PATH=/usr/bin:/bin", "SESSION_ACCOUNT=alice", "SESSION_CURSOR=\(event.rawValue)",
        "SESSION_EVENT=profileChanged", "SESSION_KEY=hook:test:\(event.rawValue)",
        "SESSION_PERSON=\(messenger.id)",
        "SESSION_SOCKET=/socket",
      ])
    await messenger.stop()
  }

  /// The answer is a message itself, which the hook answers, too.
  @Test func answersAreSentOnceAndNotTooOften() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    try await messenger.send("hello", to: messenger.id)
    let answering = hook("echo answer; echo") {
      $0.kinds = [.messageQueued]
      $0.replies = true
    }
    func answers() async throws -> Int {
      try await messenger.messages(in: .person(messenger.id)).count { $0.body == "answer" }
    }
    try await running(answering, account) { try await answers() == ReplyPace.limit }
    #expect(try await answers() == ReplyPace.limit)
    await messenger.stop()
  }

  @Test func tenAnswersAMinuteAreSentInAConversation() throws {
    let (pace, now) = (ReplyPace(), ContinuousClock.now)
    let group = Conversation.ID.group(try SessionID(parsing: "03" + String(repeating: "a", count: 64)))
    let other = Conversation.ID.group(try SessionID(parsing: "03" + String(repeating: "b", count: 64)))
    for second in 0..<10 { #expect(pace.delay(in: group, at: now + .seconds(second)) == nil) }
    #expect(pace.delay(in: group, at: now + .seconds(10)) == .seconds(50))
    #expect(pace.delay(in: other, at: now + .seconds(10)) == nil)
    #expect(pace.delay(in: group, at: now + .seconds(60)) == nil)
    #expect(pace.delay(in: group, at: now + .seconds(60)) == .seconds(1))
  }
}
