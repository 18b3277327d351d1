import Folders
import Foundation
import Glibc
import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage
import Testing

@testable import SessionDaemon

/// Events on their way through the programs of hooks.
@Suite(.timeLimit(.minutes(5))) struct HookWorkTests {
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

  private static let render: RPCMethod.EventRendering = { delivered, _ in
    "{\"cursor\":\(delivered.event.id.rawValue),\"tries\":\(delivered.tries ?? 0)}"
  }

  private func hooks(
    _ hook: Hook, _ accounts: any ServedAccounts, render: @escaping RPCMethod.EventRendering = Self.render
  ) -> Hooks {
    let setting = Hooks.Setting(
      environment: ["PATH": "/usr/bin:/bin", "SECRET": "x"], socket: "/socket", logs: folder.url.path,
      tell: { _ in }, render: render)
    return Hooks([hook], accounts, setting)
  }

  /// Runs a hook until a condition holds.
  private func running(
    _ hook: Hook, _ account: ReadAccount, until isDone: () async throws -> Bool
  ) async throws {
    try await running(hooks(hook, account.accounts), until: isDone)
  }

  private func running(_ hooks: Hooks, until isDone: () async throws -> Bool) async throws {
    let task = Task { await hooks.run() }
    defer { task.cancel() }
    while try await !isDone() {
      try Task.checkCancellation()
      await Task.yield()
    }
    task.cancel()
    await task.value
  }

  private func until(_ isDone: () async throws -> Bool) async throws {
    while try await !isDone() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  private func exists(_ name: String) -> Bool { access(folder.path(name), F_OK) == 0 }

  /// Lets a script go on that waits for a file.
  private func make(_ name: String) throws { try folder.write([], to: name) }

  /// The words of a script that wait for a file.
  private func waiting(for name: String) -> String {
    "while [ ! -e '\(folder.path(name))' ]; do sleep 0.01; done"
  }

  private func logged(_ words: String) -> [String] { lines("hook-test.log").filter { $0.contains(words) } }

  private func lines(_ name: String) -> [String] {
    let text = (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  @Test func aHookWaitsWhileAnotherProcessRunsItsProgram() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    let event = try await account.happen()
    let hook = hook("cat >> '\(folder.path("events"))'")
    let (told, telling) = AsyncStream.makeStream(of: String.self)
    let setting = Hooks.Setting(
      environment: ["PATH": "/usr/bin:/bin"], socket: nil, logs: folder.url.path,
      tell: { telling.yield($0) }, render: Self.render)
    var lock: FileLock? = try Hooks.lock(of: hook, "alice", setting, purpose: "session receive")
    let waiting = Hooks([hook], account.accounts, setting)
    let task = Task { await waiting.run() }
    let line = await told.first { _ in true }
    #expect(line?.contains("hook:test of the account alice is in use by session receive (process ") == true)
    #expect(try await messenger.cursor(of: "hook:test") < event)
    #expect(lock != nil)
    lock = nil
    try await until { try await messenger.cursor(of: "hook:test") == event }
    task.cancel()
    await task.value
    #expect(lines("events").count == 1)
    await messenger.stop()
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

  // MARK: - Accounts that are not open

  /// Messages to two persons, since the events of one conversation are handled one after the other.
  @Test func anEventThatFailsWhileAnotherIsAcknowledgedIsTriedAgain() async throws {
    let account = try await ReadAccount()
    let (messenger, accounts) = (account.messenger, HeldAccounts(account.accounts))
    _ = try await messenger.registerReader("hook:test")
    try await messenger.send("hello", to: messenger.id)
    try await messenger.send("hello", to: Account.generate().id)
    let queued = try await messenger.events(after: .start).filter { $0.kind == .messageQueued }.map(\.id)
    try #require(queued.count == 2)
    let script = """
      [ -e '\(folder.path("second"))' ] && exit 0
      touch '\(folder.path("begun"))'-$SESSION_CURSOR
      if [ $SESSION_CURSOR = \(queued[0].rawValue) ]; then \(waiting(for: "first")); exit 0; fi
      \(waiting(for: "second")); exit 1
      """
    let hook = hook(script) {
      $0.kinds = [.messageQueued]
      $0.includesRequests = true
      $0.concurrency = 2
    }
    let hooks = hooks(hook, accounts)
    let task = Task { await hooks.run() }
    try await until { queued.allSatisfy { exists("begun-\($0.rawValue)") } }
    await accounts.set(.waiting)
    try make("first")
    try await until { await accounts.held > 0 }
    try make("second")
    try await until { !logged("try 1: the program ended with 1").isEmpty }
    await accounts.set(.open)
    try await until { try await messenger.cursor(of: "hook:test") >= queued[1] }
    task.cancel()
    await task.value
    #expect(try await messenger.deadEvents().isEmpty)
    await messenger.stop()
    withExtendedLifetime(account) {}
  }

  @Test func anAcknowledgementThatFailsIsMadeLater() async throws {
    let account = try await ReadAccount()
    let (messenger, accounts) = (account.messenger, HeldAccounts(account.accounts))
    _ = try await messenger.registerReader("hook:test")
    let event = try await account.happen()
    let script = "touch '\(folder.path("begun"))'; \(waiting(for: "go"))"
    let hooks = hooks(hook(script), accounts)
    let task = Task { await hooks.run() }
    try await until { exists("begun") }
    await accounts.set(.failing)
    try make("go")
    // It has been tried again.
    try await until { await accounts.held > 1 }
    await accounts.set(.open)
    try await until { try await messenger.cursor(of: "hook:test") == event }
    task.cancel()
    await task.value
    #expect(logged("cannot be acknowledged").count == 1)
    await messenger.stop()
    withExtendedLifetime(account) {}
  }

  @Test(arguments: [true, false])
  func hooksOfAnAccountThatIsClosedEnd(isAcknowledging: Bool) async throws {
    let account = try await ReadAccount()
    let (messenger, accounts) = (account.messenger, HeldAccounts(account.accounts))
    _ = try await messenger.registerReader("hook:test")
    try await account.happen()
    let script =
      "touch '\(folder.path("begun"))'; \(waiting(for: "go")); exit \(isAcknowledging ? 0 : 75)"
    let hooks = hooks(hook(script), accounts)
    let task = Task { await hooks.run() }
    try await until { exists("begun") }
    await accounts.set(.waiting)
    try make("go")
    // The acknowledgement waits for the account, or the next try.
    try await until { await accounts.held > 0 }
    task.cancel()
    await task.value
    #expect(hooks.idleSince != nil)
    await messenger.stop()
    withExtendedLifetime(account) {}
  }

  // MARK: - Failures and work

  @Test func otherErrorsCountAsFailures() async throws {
    struct Broken: Error {}
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    let event = try await account.happen()
    let hooks = hooks(hook("exit 0") { $0.tries = 2 }, account.accounts) { _, _ in throw Broken() }
    try await running(hooks) { try await !messenger.deadEvents().isEmpty }
    let dead = try await messenger.deadEvents(of: "hook:test")
    #expect(dead.map(\.event.id) == [event] && dead.first?.tries == 2)
    await messenger.stop()
  }

  /// The program ended before this one noted that the event is handled, and writes something else when it runs again.
  @Test func anAnswerThatWasSentBeforeIsNotAFailure() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    try await messenger.send("hello", to: messenger.id)
    let events = try await messenger.events(after: .start)
    let event = try #require(events.first(where: { $0.kind == .messageQueued })?.id)
    let key = try #require(SendKey("hook:test:\(event.rawValue)"))
    try await messenger.send(OutgoingText("first"), to: .person(messenger.id), key: key)
    let answering = hook("[ $SESSION_CURSOR != \(event.rawValue) ] || echo second") {
      $0.kinds = [.messageQueued]
      $0.includesRequests = true
      $0.replies = true
      $0.tries = 1
    }
    try await running(answering, account) { try await messenger.cursor(of: "hook:test") > event }
    #expect(try await messenger.deadEvents().isEmpty)
    let bodies = try await messenger.messages(in: .person(messenger.id)).map(\.body)
    #expect(bodies.contains("first") && !bodies.contains("second"))
    await messenger.stop()
  }

  @Test func programsAndRetriesAreWork() async throws {
    let account = try await ReadAccount()
    let messenger = account.messenger
    _ = try await messenger.registerReader("hook:test")
    let script =
      "touch '\(folder.path("begun"))'; \(waiting(for: "go")); [ -e '\(folder.path("good"))' ]"
    let hook = hook(script) { $0.delay = .seconds(600) }
    let hooks = hooks(hook, account.accounts)
    #expect(hooks.idleSince != nil)
    let task = Task { await hooks.run() }
    try await account.happen()
    try await until { exists("begun") }
    #expect(hooks.idleSince == nil)
    try make("go")
    try await until { !logged("try 1: the program ended with 1").isEmpty }
    #expect(hooks.idleSince == nil)
    task.cancel()
    await task.value
    #expect(hooks.idleSince != nil)
    try make("good")
    // It is handled when the hook begins again, and there is no work then.
    let again = self.hooks(hook, account.accounts)
    let newest = try await messenger.lastEvent()
    try await running(again) {
      guard try await messenger.cursor(of: "hook:test") == newest else { return false }
      return again.idleSince != nil
    }
    await messenger.stop()
    withExtendedLifetime(account) {}
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

/// An account whose messenger may be kept back, as while another program works on it alone.
private actor HeldAccounts: ServedAccounts {
  enum State: Sendable {
    case open
    /// It is closed for a while.
    case waiting
    /// It cannot be opened.
    case failing
  }

  private let account: OneAccount
  private var state = State.open
  private var change = Latch()
  /// How often the messenger was not there when it was wanted, since the last change.
  private(set) var held = 0

  init(_ account: OneAccount) { self.account = account }

  func set(_ state: State) {
    self.state = state
    held = 0
    change.open()
    change = Latch()
  }

  func messenger(named name: String?) async throws -> Messenger {
    while true {
      switch state {
      case .open: return try await account.messenger(named: name)
      case .waiting:
        held += 1
        await change.wait()
        try Task.checkCancellation()
      case .failing:
        held += 1
        throw RPCError(75, "failed", "the account cannot be opened")
      }
    }
  }

  func openMessenger(named name: String) -> Messenger? {
    if case .open = state { account.openMessenger(named: name) } else { nil }
  }

  func all() async -> [ServedAccount] { await account.all() }
  func changes() -> AsyncStream<Void> { account.changes() }
  func park(_ name: String) {}
  func unpark(_ name: String) {}
  func release(to process: Int32) {}
  func unlock(_ name: String, _ secret: KeySecret?) {}
  func change(_ name: String, _ change: AccountChange) {}
  func isDeleted(_ name: String) -> Bool { false }
}
