import SessionBase
import SessionDesktop

/// Work on the bus of the system, which begins again whenever the bus has ended.
struct SystemBusWork: Sendable {
  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(600)

  let io: CommandIO

  /// Works until the task is cancelled. On a machine without such a bus it rarely tries again.
  func run(_ work: @escaping @Sendable (Bus) async throws(BusFailure) -> Void) async {
    var pause = Self.firstPause
    while !Task.isCancelled {
      do throws(BusFailure) {
        let address = Bus.systemAddress(io.environment)
        let bus = try await WorkerQueue("system-bus").run { () throws(BusFailure) in try Bus(address: address)
        }
        try await work(bus)
        pause = Self.firstPause
      } catch {
        // Without the library it never comes.
        if error.kind == .noLibrary { return }
      }
      try? await Task.sleep(for: pause)
      pause = min(pause * 4, Self.longestPause)
    }
  }
}
