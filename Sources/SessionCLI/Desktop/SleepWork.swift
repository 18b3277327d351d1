import SessionBase
import SessionDesktop

/// Follows the sleep of the machine, as long as the program runs.
struct SleepWork: Sendable {
  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(600)

  let io: CommandIO

  /// Works until the task is cancelled. A machine without the service that tells of its sleep is asked seldom.
  func run(_ change: @escaping @Sendable (_ isAsleep: Bool) async -> Void) async {
    var pause = Self.firstPause
    while !Task.isCancelled {
      do throws(BusFailure) {
        let address = Bus.systemAddress(io.environment)
        let bus = try await WorkerQueue("sleep").run { () throws(BusFailure) in try Bus(address: address) }
        try await SleepWatch(on: bus).run(change)
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
