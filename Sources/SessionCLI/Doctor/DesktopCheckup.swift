import SessionBase
import SessionDesktop

/// Looks at what a desktop has to offer to the program; nothing where there is none.
struct DesktopCheckup: Sendable {
  let environment: [String: String]

  func finding() async -> Finding? {
    guard let address = Bus.sessionAddress(environment) else { return nil }
    do {
      let bus = try await WorkerQueue("doctor.desktop").run { try Bus(address: address) }
      let server = NotificationServer(on: bus) { _ in }
      try await WorkerQueue("doctor.desktop").run { try server.start() }
      guard server.owner != nil else {
        return .warning(
          "desktop", "no program shows notifications",
          advice: "Install one, such as dunst, mako or the one of your desktop.")
      }
      let program = try await server.information()
      let text = "\(program.name) \(program.version) shows notifications"
      return .ok("desktop", try await server.abilities().hasActions ? text : text + ", without actions")
    } catch {
      let reason = (error as? BusFailure)?.description ?? "\(error)"
      return .warning(
        "desktop", "no notifications can be shown: \(reason)",
        advice: "Check the session bus, and that libsystemd is installed.")
    }
  }
}
