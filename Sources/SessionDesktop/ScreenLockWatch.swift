import SessionBase

/// Hears when the screen of the person is locked, and whether it is when the watch begins.
package struct ScreenLockWatch: Sendable {
  private let bus: Bus
  private let hears: @Sendable () -> Void

  /// `bus` is that of a desktop, or of the system. `hears` is called when nothing is missed from then on.
  package init(on bus: Bus, hears: @escaping @Sendable () -> Void = {}) {
    (self.bus, self.hears) = (bus, hears)
  }

  /// Tells each time that the lock of a desktop locks the screen, and if it has already, until the connection
  /// ends, or the task is cancelled.
  package func runOnDesktop(_ locked: @escaping @Sendable () async -> Void) async throws(BusFailure) {
    let rules = ["org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver"].map { name in
      "type='signal',sender='\(name)',interface='\(name)',member='ActiveChanged'"
    }
    let bus = bus
    try await follow(rules) {
      let reply = try? await bus.call(ScreenLock.getActive, timeout: ScreenLock.timeout)
      if reply?.first?.isTrue == true { await locked() }
    } take: { signal in
      if signal.values.first?.isTrue == true { await locked() }
    }
  }

  /// Tells each time that systemd has the session that the person sees be locked, or hears that it was, and if
  /// it is already.
  package func runOnSystem(_ locked: @escaping @Sendable () async -> Void) async throws(BusFailure) {
    let from = "type='signal',sender='\(LoginSessions.manager)'"
    let rules = [
      "\(from),interface='\(LoginSessions.session)',member='Lock'",
      "\(from),interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='\(LoginSessions.session)'",
    ]
    let bus = bus
    try await follow(rules) {
      if await Self.isSessionLocked(bus) { await locked() }
    } take: { signal in
      guard signal.member == "Lock" || Self.tellsLock(signal) else { return }
      // Other people, and other sessions, lock theirs.
      if (try? await Self.logins(bus).display()) == signal.path { await locked() }
    }
  }

  private static func logins(_ bus: Bus) -> LoginSessions {
    LoginSessions { method, values in try? await bus.call(method, values).first }
  }

  private static func isSessionLocked(_ bus: Bus) async -> Bool {
    let sessions = logins(bus)
    guard let display = try? await sessions.display() else { return false }
    let hint = try? await sessions.property("LockedHint", of: display, LoginSessions.session)
    return hint?.isTrue == true
  }

  private static func tellsLock(_ signal: BusSignal) -> Bool {
    guard signal.values.count > 1, let changed = signal.values[1].elements else { return false }
    return changed.contains(.entry(.string("LockedHint"), .variant(.boolean(true))))
  }

  /// Hears signals. `begin` is called when none of them is missed any more, and before the first is taken: the
  /// screen may have been locked earlier, as while the program started itself anew.
  private func follow(
    _ rules: [String], begin: @escaping @Sendable () async -> Void,
    take: @escaping @Sendable (BusSignal) async -> Void
  ) async throws(BusFailure) {
    let (signals, telling) = AsyncStream.makeStream(of: BusSignal.self, bufferingPolicy: .bufferingNewest(16))
    let bus = bus
    try await WorkerQueue("screen-lock").run { () throws(BusFailure) in
      for rule in rules { try bus.hear(rule) { telling.yield($0) } }
    }
    await begin()
    hears()
    let ending = Task {
      await bus.closed.wait()
      telling.finish()
    }
    defer { ending.cancel() }
    for await signal in signals { await take(signal) }
  }
}
