import SessionMessaging
import Synchronization

/// The progress of the work that follows from a command, drawn on the terminal of standard error, if there is one.
final class WorkProgress: Sendable {
  private let meter: Mutex<WorkMeter>
  private let isShown: Bool
  private let io: CommandIO

  /// Without a label, nothing is drawn.
  init(_ label: String?, _ io: CommandIO) {
    meter = Mutex(WorkMeter(label ?? ""))
    isShown = label != nil
    self.io = io
  }

  /// Runs an operation, which tells how many jobs are left, and draws its progress.
  func following<R: Sendable>(
    _ work: (_ tell: @escaping @Sendable (Int) -> Void) async throws -> R
  ) async throws -> R {
    guard isShown else { return try await work { _ in } }
    let (left, telling) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
    return try await io.drawing(left, line) { _ in try await work { telling.yield($0) } }
  }

  @Sendable private func line(_ left: Int?, width: Int) -> String? {
    meter.withLock { meter in
      if let left { meter.take(left) }
      return meter.line(width: width)
    }
  }
}

/// The progress of some jobs, as a line of a terminal. Jobs may cause others, so what there is to do may grow.
struct WorkMeter: Sendable {
  private let label: String
  private var (most, left) = (0, 0)

  init(_ label: String) { self.label = label }

  mutating func take(_ left: Int) {
    self.left = left
    most = max(most, left)
  }

  func line(width: Int) -> String {
    guard most > 1 else { return DisplayText.fitted(label, to: max(width, 1)) }
    return ProgressBar.line(
      label, done: Int64(most - left), total: Int64(most), in: .steps, elapsed: .zero, width: width)
  }
}
