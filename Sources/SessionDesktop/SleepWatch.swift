import SessionBase

/// Hears of the machine that it goes to sleep, and wakes. The system waits for a moment before it sleeps, so that what is being
/// done is finished.
package struct SleepWatch: Sendable {
  private static let manager = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let interface = "org.freedesktop.login1.Manager"

  /// How long the system is kept awake at most.
  package var patience = Duration.seconds(2)
  private let bus: Bus

  /// `bus` is that of the system.
  package init(on bus: Bus) { self.bus = bus }

  /// Tells each change, one after the other, until the connection ends, or the task is cancelled; a machine that slept then
  /// counts as awake.
  package func run(_ change: @escaping @Sendable (_ isAsleep: Bool) async -> Void) async throws(BusFailure) {
    let (changes, telling) = AsyncStream.makeStream(of: Bool.self)
    let rule =
      "type='signal',sender='\(Self.manager)',path='\(Self.path)',interface='\(Self.interface)',member='PrepareForSleep'"
    let bus = bus
    try await WorkerQueue("sleep").run { () throws(BusFailure) in
      try bus.hear(rule) { signal in
        if let isAsleep = signal.values.first?.isTrue { telling.yield(isAsleep) }
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
