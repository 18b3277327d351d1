import Glibc
import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

/// Who says that the screen is locked, on buses of their own.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5)))
struct ScreenLockTests {
  private let session: PrivateBus
  private let system: PrivateBus

  init() throws { (session, system) = (try PrivateBus(), try PrivateBus()) }

  private struct Logins: Sendable {
    var display = "/org/freedesktop/login1/session/_31"
    var isLocked: BusValue = .boolean(true)
    var users: [UInt32] = [geteuid()]
    /// How often the session that is seen was asked for.
    var questions = 0
  }

  private final class Shared: Sendable {
    let state = Mutex(Logins())
  }

  private let logins = Shared()

  /// What keeps the sessions of users on the bus of a system.
  private func manager() async throws -> Bus {
    let bus = try system.connected()
    let user = "/org/freedesktop/login1/user/self"
    bus.export("/org/freedesktop/login1") { [logins] call in
      guard call.member == "GetUser", let id = call.values.first?.number,
        logins.state.withLock({ $0 }).users.contains(id)
      else { return .error("org.freedesktop.login1.NoSuchUser", "nobody") }
      return .values([.path(user)])
    }
    for path in [user, Logins().display] {
      bus.export(path) { [logins] call in
        switch call.values.last?.text {
        case "Display":
          .values([
            .variant(
              .structure([
                .string("1"),
                .path(
                  logins.state.withLock {
                    $0.questions += 1
                    return $0.display
                  }),
              ]))
          ])
        case "LockedHint": .values([.variant(logins.state.withLock({ $0 }).isLocked)])
        default: .error("org.freedesktop.DBus.Error.UnknownProperty", "no")
        }
      }
    }
    #expect(try await WorkerQueue("test.bus").run { try bus.take(name: "org.freedesktop.login1") })
    return bus
  }

  private func lock(_ address: String?) throws -> ScreenLock {
    ScreenLock(on: try session.connected(), systemAddress: address)
  }

  @Test func withoutAnybodyWhoKnowsItIsOpen() async throws {
    #expect(try await !lock(nil).isLocked())
    #expect(try await !lock(system.address).isLocked())
    #expect(try await !lock("unix:path=/nowhere").isLocked())
  }

  @Test func aDesktopThatDoesNotAnswerCountsAsLocked() async throws {
    let saver = try session.connected()
    let taken = try await WorkerQueue("test.bus").run {
      saver.export("/org/freedesktop/ScreenSaver") { _ in .silence }
      return try saver.take(name: "org.freedesktop.ScreenSaver")
    }
    #expect(taken)
    let lock = try lock(nil)
    #expect(await lock.isLocked())
    withExtendedLifetime(saver) {}
  }

  @Test func theSystemSaysIt() async throws {
    let manager = try await manager()
    let lock = try lock(system.address)
    #expect(await lock.isLocked())
    logins.state.withLock { $0.isLocked = .boolean(false) }
    #expect(await !lock.isLocked())
    // What is no answer.
    logins.state.withLock { $0.isLocked = .string("yes") }
    #expect(await !lock.isLocked())
    logins.state.withLock { ($0.isLocked, $0.display) = (.boolean(true), "/") }
    #expect(await !lock.isLocked())
    logins.state.withLock { $0.display = "/org/freedesktop/login1/session/_99" }
    #expect(await !lock.isLocked())
    logins.state.withLock { ($0.display, $0.users) = (Logins().display, []) }
    #expect(await !lock.isLocked())
    logins.state.withLock { $0.users = [geteuid()] }
    #expect(await lock.isLocked())
    // A system bus that ends takes nothing else with it.
    system.end()
    #expect(await !lock.isLocked())
    withExtendedLifetime(manager) {}
  }

  // MARK: - Hearing of it

  private static let properties = "org.freedesktop.DBus.Properties"

  private func signal(_ path: String, _ interface: String, _ member: String, _ values: [BusValue])
    -> BusSignal
  {
    BusSignal(sender: "", path: path, interface: interface, member: member, values: values)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["org.gnome.ScreenSaver", "org.freedesktop.ScreenSaver"])
  func theLockOfADesktopIsHeard(name: String) async throws {
    let (theirs, ours) = (try session.connected(), try session.connected())
    #expect(try await WorkerQueue("test.bus").run { try theirs.take(name: name) })
    let hears = Latch()
    let (told, telling) = AsyncStream.makeStream(of: Void.self)
    let watch = Task {
      try? await ScreenLockWatch(on: ours) { hears.open() }.runOnDesktop { telling.yield() }
      telling.finish()
    }
    await hears.wait()
    for values in [[.boolean(false)], [.string("yes")], [], [.boolean(true)]] as [[BusValue]] {
      theirs.send(signal("/ScreenSaver", name, "ActiveChanged", values))
    }
    // Programs without the name say nothing.
    ours.send(signal("/ScreenSaver", name, "ActiveChanged", [.boolean(true)]))
    // What was sent before a reply is there with it.
    _ = try await theirs.call(.bus("GetId"))
    _ = try await ours.call(.bus("GetId"))
    session.end()
    await watch.value
    #expect(await told.reduce(into: 0) { count, _ in count += 1 } == 1)
  }

  @Test(.timeLimit(.minutes(1))) func systemdLocksTheSessionThatIsSeen() async throws {
    logins.state.withLock { $0.isLocked = .boolean(false) }
    let (manager, ours) = (try await manager(), try system.connected())
    let (told, telling) = AsyncStream.makeStream(of: Int.self)
    let hears = Latch()
    let watch = Task {
      try? await ScreenLockWatch(on: ours) { hears.open() }.runOnSystem { [logins] in
        telling.yield(logins.state.withLock { $0.questions })
      }
      telling.finish()
    }
    await hears.wait()
    let (display, session) = (Logins().display, "org.freedesktop.login1.Session")
    func changed(_ hint: String, _ value: Bool, of interface: String = session) -> [BusValue] {
      [.string(interface), .options([(hint, .boolean(value))]), .array(of: "s", [])]
    }
    for (path, interface, member, values) in [
      ("/org/freedesktop/login1/session/_32", session, "Lock", []), (display, session, "Unlock", []),
      (display, Self.properties, "PropertiesChanged", changed("LockedHint", false)),
      (display, Self.properties, "PropertiesChanged", changed("IdleHint", true)),
      (display, Self.properties, "PropertiesChanged", changed("LockedHint", true, of: "org.example")),
      (display, session, "Lock", []),
      (display, Self.properties, "PropertiesChanged", changed("LockedHint", true)),
    ] as [(String, String, String, [BusValue])] {
      manager.send(signal(path, interface, member, values))
    }
    // The begin, and each of the three, cause a request for the session; the first of them is another one.
    var locks = told.makeAsyncIterator()
    #expect(await locks.next() == 3)
    #expect(await locks.next() == 4)
    system.end()
    await watch.value
  }

  @Test(.timeLimit(.minutes(1))) func aScreenThatIsLockedAlreadyIsHeard() async throws {
    let saver = try session.connected()
    let taken = try await WorkerQueue("test.bus").run {
      saver.export("/org/freedesktop/ScreenSaver") { _ in .values([.boolean(true)]) }
      return try saver.take(name: "org.freedesktop.ScreenSaver")
    }
    #expect(taken)
    let manager = try await manager()
    let (desktop, logins) = (try session.connected(), try system.connected())
    let (told, telling) = AsyncStream.makeStream(of: String.self)
    let watches = [
      Task {
        try? await ScreenLockWatch(on: desktop).runOnDesktop { telling.yield("desktop") }
        return
      },
      Task {
        try? await ScreenLockWatch(on: logins).runOnSystem { telling.yield("system") }
        return
      },
    ]
    var all = told.makeAsyncIterator()
    let heard = [await all.next(), await all.next()]
    #expect(Set(heard) == ["desktop", "system"])
    session.end()
    system.end()
    for watch in watches { await watch.value }
    withExtendedLifetime((saver, manager)) {}
  }
}
