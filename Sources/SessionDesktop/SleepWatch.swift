import SessionBase
import Synchronization

/// Hears of the machine that it goes to sleep, and wakes. The system waits for a moment before it sleeps, so that what is being
/// done is finished.
package struct SleepWatch: Sendable {
  private static let manager = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let interface = "org.freedesktop.login1.Manager"

  /// The unique name of the system's manager; empty if it is gone.
  private final class Owner: Sendable {
    let name = Mutex<String?>(nil)
  }

  /// How long the system is kept awake at most.
  package var patience = Duration.seconds(2)
  private let bus: Bus

  /// `bus` is that of the system.
  package init(on bus: Bus) { self.bus = bus }

  /// Tells each change, one after the other, until the connection ends, or the task is cancelled; a machine that slept then
  /// counts as awake.
  package func run(_ change: @escaping @Sendable (_ isAsleep: Bool) async -> Void) async throws(BusFailure) {
    // Only the last state counts.
    let (changes, telling) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let ownerRule =
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
      + "member='NameOwnerChanged',arg0='\(Self.manager)'"
    let rule =
      "type='signal',sender='\(Self.manager)',path='\(Self.path)',interface='\(Self.interface)',member='PrepareForSleep'"
    let (bus, owner) = (bus, Owner())
    try await WorkerQueue("sleep").run { () throws(BusFailure) in
      try bus.hear(ownerRule) { signal in
        guard signal.isFromBus, signal.values.count == 3, let name = signal.values[2].text else { return }
        owner.name.withLock { $0 = name }
      }
      // The rule does not keep out what others send to this program alone.
      try bus.hear(rule) { signal in
        guard let isAsleep = signal.values.first?.isTrue, owner.name.withLock({ $0 == signal.sender })
        else { return }
        telling.yield(isAsleep)
      }
      do throws(BusFailure) {
        let reply = try bus.callBlocking(.bus("GetNameOwner"), [.string(Self.manager)])
        if let name = reply.first?.text { owner.name.withLock { $0 = $0 ?? name } }
      } catch {
        // The bus tells when a manager begins that does not run yet. Without any other reply the watch would
        // never know who it is.
        guard case .refused = error.kind else { throw error }
      }
    }
    let ending = Task {
      await bus.closed.wait()
      telling.finish()
    }
    defer { ending.cancel() }
    // Closed, it lets the system sleep.
    var inhibitor = await inhibit()
    var working: Task<Void, Never>?
    var isAsleep = false
    for await next in changes where next != isAsleep {
      isAsleep = next
      await working?.value
      let isDone = Latch()
      working = Task {
        await change(next)
        isDone.open()
      }
      if next {
        await within(patience) { await isDone.wait() }
        inhibitor = nil
      } else {
        inhibitor = await inhibit()
      }
    }
    await working?.value
    if isAsleep { await change(false) }
    withExtendedLifetime(inhibitor) {}
  }

  /// Nil if the system grants none: then it does not wait.
  private func inhibit() async -> BusFile? {
    let inhibit = BusMethod(Self.manager, Self.path, Self.interface, "Inhibit")
    let words = ["sleep", "Session", "Messages are being stored", "delay"]
    do throws(BusFailure) {
      guard case .file(let file)? = try await bus.call(inhibit, words.map { .string($0) }).first else {
        return nil
      }
      return file
    } catch {
      return nil
    }
  }
}
