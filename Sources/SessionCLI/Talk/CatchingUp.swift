import SessionBase
import SessionMessaging
import SessionNetworking

/// Fetches all that waits in the swarm, and draws on the terminal of standard error how far it is.
struct CatchingUp: Sendable {
  let messenger: Messenger
  let io: CommandIO
  /// The line that shows the progress.
  let place: DrawnLine
  /// The timeout of a node's reply.
  let timeout: Duration

  /// False where the network was not reached in time.
  func run() async throws -> Bool {
    let began = ContinuousClock.now
    @Sendable func line(_ receiving: ReceivingProgress?, width: Int) -> String? {
      Self.line(receiving, elapsed: began.duration(to: .now), width: width)
    }
    return try await io.drawing(messenger.receivingProgress(), line, at: place) { draw in
      repeat {
        let isDone: Void? = try await withinTime(timeout) { [messenger] in
          while await !messenger.poll() { try await Task.sleep(for: .milliseconds(200)) }
        }
        guard isDone != nil else { return false }
      } while await messenger.pollCondition().isBehind
      if let last = await messenger.receivingProgress().first(where: { _ in true }) { draw(last) }
      return true
    }
  }

  static func line(_ receiving: ReceivingProgress?, elapsed: Duration, width: Int) -> String {
    guard let receiving, receiving.given > 0 else {
      return DisplayText.fitted("fetching new messages", to: max(width, 1))
    }
    return ProgressBar.line(
      "receiving", done: Int64(receiving.taken), total: Int64(receiving.given),
      in: .messages(hasMore: receiving.hasMore),
      elapsed: elapsed, width: width)
  }
}
