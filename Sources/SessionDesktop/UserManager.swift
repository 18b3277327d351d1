/// The systemd manager of the person, which starts programs in the environment of the desktop. What a service starts by itself
/// has the environment and the limits of its unit, and ends with it.
package struct UserManager: Sendable {
  private static let name = "org.freedesktop.systemd1"
  private static let path = "/org/freedesktop/systemd1"
  private static let manager = "org.freedesktop.systemd1.Manager"

  private let bus: Bus

  package init(on bus: Bus) { self.bus = bus }

  /// True if an environment is that of a unit.
  package static func started(_ environment: [String: String]) -> Bool {
    !environment["INVOCATION_ID", default: ""].isEmpty
  }

  /// True if programs with an environment can show windows: a small desktop may not have told the manager its display.
  package static func hasDisplay(_ environment: [String: String]) -> Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { !environment[$0, default: ""].isEmpty }
  }

  /// The environment without what systemd gave to one process of a unit.
  package static func withoutUnit(_ environment: [String: String]) -> [String: String] {
    let own: Set = [
      "INVOCATION_ID", "JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID",
      "LISTEN_FDS", "LISTEN_FDNAMES", "SYSTEMD_EXEC_PID", "MAINPID", "MANAGERPID", "CREDENTIALS_DIRECTORY",
      "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CACHE_DIRECTORY", "LOGS_DIRECTORY", "CONFIGURATION_DIRECTORY",
      "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
    ]
    return environment.filter { !own.contains($0.key) }
  }

  /// The variables that the manager gives to what it starts; nil if there is no manager. Blocks.
  package func environment() -> [String: String]? {
    let get = BusMethod(Self.name, Self.path, "org.freedesktop.DBus.Properties", "Get")
    guard
      let reply = try? bus.callBlocking(get, [.string(Self.manager), .string("Environment")]),
      let variables = reply.first?.inner?.elements
    else { return nil }
    let pairs = variables.compactMap(\.text).compactMap { text -> (String, String)? in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    return Dictionary(pairs, uniquingKeysWith: { _, last in last })
  }

  /// Starts a program as a unit of its own, with these variables besides those of the manager. False if the manager refuses.
  /// Blocks.
  package func start(
    _ words: [String], _ variables: [String: String], unit: String, description: String
  ) -> Bool {
    guard let program = words.first, program.hasPrefix("/") else { return false }
    let command = BusValue.structure([
      .string(program), .array(of: "s", words.map { .string($0) }), .boolean(false),
    ])
    let properties: [(String, BusValue)] = [
      ("Description", .string(description)),
      ("ExecStart", .array(of: "(sasb)", [command])),
      (
        "Environment",
        .array(of: "s", variables.sorted { $0.key < $1.key }.map { .string("\($0.key)=\($0.value)") })
      ),
      // A terminal may leave its work to another process of the unit.
      ("ExitType", .string("cgroup")), ("CollectMode", .string("inactive-or-failed")),
    ]
    let start = BusMethod(Self.name, Self.path, Self.manager, "StartTransientUnit")
    let reply = try? bus.callBlocking(
      start,
      [
        .string(unit), .string("fail"),
        .array(of: "(sv)", properties.map { .structure([.string($0.0), .variant($0.1)]) }),
        .array(of: "(sa(sv))", []),
      ])
    return reply != nil
  }
}
