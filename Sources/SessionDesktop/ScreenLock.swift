import Glibc
import SessionBase
import Synchronization

/// Whether the screen of the person is locked: the desktop says it, or else the system. One that does not know it says nothing.
final class ScreenLock: Sendable {
  /// How long an answer may take: what is to be shown waits for it.
  private static let timeout = Duration.seconds(1)
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let manager = "org.freedesktop.login1"

  private let session: Bus
  /// The address of the bus of the system; nil for none.
  private let systemAddress: String?
  private let system = Mutex<Bus?>(nil)

  init(on session: Bus, systemAddress: String?) {
    (self.session, self.systemAddress) = (session, systemAddress)
  }

  func isLocked() async -> Bool {
    if await isDesktopLocked() { return true }
    return await isSessionLocked()
  }

  private func isDesktopLocked() async -> Bool {
    let method = BusMethod(
      "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver",
      "GetActive")
    return (try? await session.call(method, timeout: Self.timeout).first?.isTrue) ?? false
  }

  /// A service of the user is in no session: it asks for the one that the user sees.
  private func isSessionLocked() async -> Bool {
    guard let bus = await systemBus() else { return false }
    let getUser = BusMethod(
      Self.manager, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "GetUser")
    guard
      let user = try? await bus.call(getUser, [.uint32(geteuid())], timeout: Self.timeout).first?.text,
      let display = await property("Display", of: user, "org.freedesktop.login1.User", bus)?.elements,
      display.count == 2, let path = display[1].text, path != "/"
    else { return false }
    return await property("LockedHint", of: path, "org.freedesktop.login1.Session", bus)?.isTrue ?? false
  }

  private func property(
    _ name: String, of path: String, _ interface: String, _ bus: Bus
  ) async -> BusValue? {
    let get = BusMethod(Self.manager, path, Self.properties, "Get")
    let reply = try? await bus.call(get, [.string(interface), .string(name)], timeout: Self.timeout)
    return reply?.first?.inner
  }

  private func systemBus() async -> Bus? {
    if let known = system.withLock({ $0 }), !known.closed.isOpen { return known }
    guard let systemAddress else { return nil }
    let bus = await WorkerQueue("system-bus").run { try? Bus(address: systemAddress) }
    system.withLock { $0 = bus }
    return bus
  }
}
