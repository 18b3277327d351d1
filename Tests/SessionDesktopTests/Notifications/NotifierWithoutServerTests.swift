import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

/// Notifications while nothing shows them.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5)))
struct NotifierWithoutServerTests {
  private func server(on bus: PrivateBus) async throws -> FakeNotificationServer {
    let connection = try bus.connected()
    return try await WorkerQueue("test.bus").run { try FakeNotificationServer(on: connection) }
  }

  @Test func whatHappensMeanwhileIsShownByTheNextServer() async throws {
    let (bus, daemon) = (try PrivateBus(), ScriptedDaemon())
    var old: FakeNotificationServer? = try await server(on: bus)
    let notifier = Notifier(daemon.setting(), on: try bus.connected())
    try await notifier.start()
    let task = Task { await notifier.run() }
    withExtendedLifetime(old) {}
    old = nil
    while await notifier.hasServer {
      try Task.checkCancellation()
      await Task.yield()
    }
    for number in 1...60 { notifier.hear("event", ScriptedDaemon.message(Int64(number), "Hello")) }
    notifier.hear("event", ScriptedDaemon.event("conversationChanged", 61))
    // It looks at the conversation because something of it waits.
    while daemon.state.withLock({ $0.questions }) == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(daemon.state.withLock { $0.acknowledged } == [])
    let new = try await server(on: bus)
    var calls = new.calls.makeAsyncIterator()
    guard case .shown(let shown)? = await calls.next() else { throw CancellationError() }
    #expect(shown.title == "Bob (60)" && shown.replaced == 0)
    while daemon.state.withLock({ $0.acknowledged.last }) != 61 {
      try Task.checkCancellation()
      await Task.yield()
    }
    task.cancel()
    await task.value
    withExtendedLifetime(new) {}
  }
}
