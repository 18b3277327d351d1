import PrivateBuses
import SessionBase
import Synchronization
import Testing

@testable import SessionDesktop

/// What systemd starts for the person, on a bus of its own.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5)))
struct UserManagerTests {
  /// A manager that starts nothing: it says what it was asked for.
  private final class FakeManager: Sendable {
    let calls = Mutex<[BusSignal]>([])
    private let bus: Bus

    init(on bus: Bus, refusing: Bool = false) throws {
      self.bus = bus
      bus.export("/org/freedesktop/systemd1") { [weak self] call in
        switch call.member {
        case "Get":
          return .values([
            .variant(
              .array(
                of: "s",
                [.string("PATH=/usr/bin:/bin"), .string("DISPLAY=:7"), .string("EMPTY="), .string("odd")])
            )
          ])
        case "StartTransientUnit":
          self?.calls.withLock { $0.append(call) }
          return refusing
            ? .error("org.freedesktop.DBus.Error.InvalidArgs", "no") : .values([.path("/job/1")])
        default: return .error("org.freedesktop.DBus.Error.UnknownMethod", "no")
        }
      }
      #expect(try bus.take(name: "org.freedesktop.systemd1"))
    }
  }

  private let bus: PrivateBus
  private let queue = WorkerQueue("test.manager")

  init() throws { bus = try PrivateBus() }

  @Test func aProgramIsStartedInTheEnvironmentOfTheDesktop() async throws {
    let (theirs, ours) = (try bus.connected(), try bus.connected())
    let fake = try await queue.run { try FakeManager(on: theirs) }
    let manager = UserManager(on: ours)
    #expect(
      await queue.run { manager.environment() }
        == ["PATH": "/usr/bin:/bin", "DISPLAY": ":7", "EMPTY": ""])
    let isStarted = await queue.run {
      manager.start(
        ["/bin/term", "-e", "session", "ui"], ["XDG_ACTIVATION_TOKEN": "t", "HOME": "/home/a"],
        unit: "session-terminal-1.service", description: "Session")
    }
    #expect(isStarted)
    let call = try #require(fake.calls.withLock { $0.first })
    #expect(call.values[0] == .string("session-terminal-1.service") && call.values[1] == .string("fail"))
    let properties = try #require(call.values[2].elements).compactMap(\.elements)
    func value(_ name: String) -> BusValue? { properties.first { $0[0].text == name }?[1].inner }
    let command = try #require(value("ExecStart")?.elements?.first?.elements)
    #expect(command[0] == .string("/bin/term"))
    #expect(command[1].elements?.compactMap(\.text) == ["/bin/term", "-e", "session", "ui"])
    #expect(
      value("Environment")?.elements?.compactMap(\.text) == ["HOME=/home/a", "XDG_ACTIVATION_TOKEN=t"])
    #expect(value("ExitType") == .string("cgroup"))
  }

  @Test func withoutAManagerNothingIsStarted() async throws {
    let manager = UserManager(on: try bus.connected())
    #expect(await queue.run { manager.environment() } == nil)
    #expect(
      await queue.run { manager.start(["/bin/true"], [:], unit: "a.service", description: "") } == false)
  }

  @Test func aManagerMayRefuse() async throws {
    let (theirs, ours) = (try bus.connected(), try bus.connected())
    let fake = try await queue.run { try FakeManager(on: theirs, refusing: true) }
    let manager = UserManager(on: ours)
    #expect(
      await queue.run { manager.start(["/bin/true"], [:], unit: "a.service", description: "") } == false)
    // Only a path is a program.
    #expect(await queue.run { manager.start(["true"], [:], unit: "a.service", description: "") } == false)
    #expect(fake.calls.withLock { $0.count } == 1)
  }

  @Test func aManagerWithoutADisplayCannotShowWindows() {
    #expect(
      UserManager.hasDisplay(["DISPLAY": ":7"]) && UserManager.hasDisplay(["WAYLAND_DISPLAY": "wayland-1"]))
    #expect(!UserManager.hasDisplay(["PATH": "/usr/bin:/bin"]))
    #expect(!UserManager.hasDisplay(["DISPLAY": "", "WAYLAND_DISPLAY": ""]))
  }

  @Test func whatBelongsToAUnitIsNotHandedOn() {
    let unit = ["INVOCATION_ID": "1", "NOTIFY_SOCKET": "/n", "CREDENTIALS_DIRECTORY": "/c", "HOME": "/h"]
    #expect(UserManager.started(unit))
    #expect(UserManager.withoutUnit(unit) == ["HOME": "/h"])
    #expect(!UserManager.started(["HOME": "/h"]) && !UserManager.started(["INVOCATION_ID": ""]))
  }
}
