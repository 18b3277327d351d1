import SessionBase
import SessionDaemon
import SessionDesktop
import Synchronization

/// Work on the bus of a desktop, which begins again whenever the bus, or the daemon, has ended.
struct DesktopWork: Sendable {
  /// How long it waits before it tries again.
  private static let firstDelay = Duration.seconds(1)
  private static let longestDelay = Duration.seconds(60)
  /// While another program does the work.
  private static let busyDelay = Duration.seconds(30)

  /// There is no desktop yet, or it has ended.
  struct NoDesktop: Error {}

  let io: CommandIO
  /// Tells the person who watches the program.
  let tell: @Sendable (String) -> Void

  /// Works until the task is cancelled. The work calls `works` when it has got through to all that it needs.
  func run(
    _ work: @escaping @Sendable (_ bus: Bus, _ works: @escaping @Sendable () -> Void) async throws -> Void
  ) async {
    var delay = Self.firstDelay
    var told: String?
    while !Task.isCancelled {
      let hasWorked = Mutex(false)
      var next = delay
      do {
        guard let address = Bus.sessionAddress(io.environment) else { throw NoDesktop() }
        let bus = try await WorkerQueue("desktop").run { try Bus(address: address) }
        try await Self.first([{ await bus.closed.wait() }]) {
          try await work(bus) { hasWorked.withLock { $0 = true } }
        }
      } catch let error as RPCError where error.kind == "reader-busy" {
        next = Self.busyDelay
        tell(once: "another program shows the notifications", &told)
      } catch is NoDesktop {
        // The daemon may have begun before the desktop.
      } catch is CancellationError {
        // It is cancelled, or the bus has ended.
      } catch {
        tell(once: "no notifications now: \(Self.reason(error))", &told)
      }
      if hasWorked.withLock({ $0 }) { (delay, next, told) = (Self.firstDelay, Self.firstDelay, nil) }
      try? await Task.sleep(for: next)
      delay = min(delay * 2, Self.longestDelay)
    }
  }

  private func tell(once text: String, _ told: inout String?) {
    if told != text { tell(text) }
    told = text
  }

  /// Why something failed, for people.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let error as BusFailure: error.description
    case let error as RPCError: error.message
    case is RPCClient.Gone: "the daemon has ended"
    default: CommandFailure(error).message
    }
  }

  /// Works until the work has ended, or one of several things has happened.
  static func first(
    _ things: [@Sendable () async -> Void],
    or work: @escaping @Sendable () async throws -> Void = {
      await Latch().wait()
    }
  ) async throws {
    try await withThrowingTaskGroup { group in
      for thing in things { group.addTask { await thing() } }
      group.addTask { try await work() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
