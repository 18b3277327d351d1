import SessionBase

/// Hears when the screen of the person is locked.
package struct ScreenLockWatch: Sendable {
  private let bus: Bus
  private let hears: @Sendable () -> Void

  /// `bus` is that of a desktop, or of the system. `hears` is called when nothing is missed from then on.
  package init(on bus: Bus, hears: @escaping @Sendable () -> Void = {}) {
    (self.bus, self.hears) = (bus, hears)
  }

  /// Tells each time that the lock of a desktop locks the screen, until the connection ends, or the task is cancelled.
  package func runOnDesktop(_ locked: @escaping @Sendable () async -> Void) async throws(BusFailure) {
    let rules = ["org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver"].map { name in
      "type='signal',sender='\(name)',interface='\(name)',member='ActiveChanged'"
    }
    try await follow(rules) { signal in
      if signal.values.first?.isTrue == true { await locked() }
    }
  }

  /// Tells each time that systemd has the session that the person sees be locked, or hears that it was.
  package func runOnSystem(_ locked: @escaping @Sendable () async -> Void) async throws(BusFailure) {
    let from = "type='signal',sender='\(LoginSessions.manager)'"
    let rules = [
      "\(from),interface='\(LoginSessions.session)',member='Lock'",
      "\(from),interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='\(LoginSessions.session)'",
    ]
    let bus = bus
    try await follow(rules) { signal in
      guard signal.member == "Lock" || Self.tellsLock(signal) else { return }
      let logins = LoginSessions { method, values in try? await bus.call(method, values).first }
      // Other people, and other sessions, lock theirs.
      if (try? await logins.display()) == signal.path { await locked() }
    }
  }

  private static func tellsLock(_ signal: BusSignal) -> Bool {
    guard signal.values.count > 1, let changed = signal.values[1].elements else { return false }
    return changed.contains(.entry(.string("LockedHint"), .variant(.boolean(true))))
  }

  private func follow(
    _ rules: [String], _ take: @escaping @Sendable (BusSignal) async -> Void
  ) async throws(BusFailure) {
    let (signals, telling) = AsyncStream.makeStream(of: BusSignal.self, bufferingPolicy: .bufferingNewest(16))
    let bus = bus
    try await WorkerQueue("screen-lock").run { () throws(BusFailure) in
      for rule in rules { try bus.hear(rule) { telling.yield($0) } }
    }
    hears()
    let ending = Task {
      await bus.closed.wait()
      telling.finish()
    }
    defer { ending.cancel() }
    for await signal in signals { await take(signal) }
  }
}
