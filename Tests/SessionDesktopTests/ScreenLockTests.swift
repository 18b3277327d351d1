import Glibc
import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

/// Who says that the screen is locked, on buses of their own.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)")) struct ScreenLockTests {
  private let session: PrivateBus
  private let system: PrivateBus

  init() throws { (session, system) = (try PrivateBus(), try PrivateBus()) }

  private struct Logins: Sendable {
    var display = "/org/freedesktop/login1/session/_31"
    var isLocked: BusValue = .boolean(true)
    var users: [UInt32] = [geteuid()]
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
          .values([.variant(.structure([.string("1"), .path(logins.state.withLock({ $0 }).display)]))])
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
}
