import Glibc
import SessionBase
import Synchronization

/// Tells whether the screen of the person is locked, as the desktop or else the system says. While neither answers in time, the
/// screen counts as locked.
final class ScreenLock: Sendable {
  /// How long an answer may take: what is to be shown waits for it.
  static let timeout = Duration.seconds(1)
  /// Tells whether a desktop has its screen locked.
  static let getActive = BusMethod(
    "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver",
    "GetActive")
  private let session: Bus
  /// The address of the bus of the system; nil for none.
  private let systemAddress: String?
  private let system = Mutex<Bus?>(nil)

  init(on session: Bus, systemAddress: String?) {
    (self.session, self.systemAddress) = (session, systemAddress)
  }

  func isLocked() async -> Bool {
    do throws(BusFailure) {
      if try await isDesktopLocked() { return true }
      return try await isSessionLocked()
    } catch {
      return true
    }
  }

  /// What a program replies; nil if it is not there, or does not know. Throws if it does not reply in time.
  private func ask(
    _ bus: Bus, _ method: BusMethod, _ values: [BusValue] = []
  ) async throws(BusFailure) -> BusValue? {
    do throws(BusFailure) { return try await bus.call(method, values, timeout: Self.timeout).first } catch {
      // The end of the bus itself looks like a reply that is late.
      guard error.kind == .timeout, await !hasEnded(bus) else { return nil }
      throw error
    }
  }

  private func hasEnded(_ bus: Bus) async -> Bool {
    do throws(BusFailure) {
      _ = try await bus.call(.bus("GetId"), timeout: Self.timeout)
      return false
    } catch {
      return error.kind != .timeout
    }
  }

  private func isDesktopLocked() async throws(BusFailure) -> Bool {
    try await ask(session, Self.getActive)?.isTrue ?? false
  }

  /// A service of the user is in no session: it asks for the one that the user sees.
  private func isSessionLocked() async throws(BusFailure) -> Bool {
    guard let bus = await systemBus() else { return false }
    let logins = LoginSessions { method, values throws(BusFailure) in try await self.ask(bus, method, values)
    }
    guard let path = try await logins.display() else { return false }
    return try await logins.property("LockedHint", of: path, LoginSessions.session)?.isTrue ?? false
  }

  private func systemBus() async -> Bus? {
    if let known = system.withLock({ $0 }), !known.closed.isOpen { return known }
    guard let systemAddress else { return nil }
    let bus = await WorkerQueue("system-bus").run { try? Bus(address: systemAddress) }
    system.withLock { $0 = bus }
    return bus
  }
}
