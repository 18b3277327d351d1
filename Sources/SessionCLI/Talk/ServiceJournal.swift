import SessionBase
import SessionMessaging
import SessionNetworking
import Synchronization

/// Writes failures to the journal of a service: each failure once, and once when it ends.
struct ServiceJournal: Sendable {
  private static let interval = Duration.seconds(1)
  /// So many failures in a row are no hiccup.
  private static let mostFailures = 1

  private let io: CommandIO

  init(_ io: CommandIO) { self.io = io }

  /// Tells the warnings and errors of the messenger.
  var log: ClientLog {
    let last = LastLine()
    return ClientLog { [io] event in
      guard event.level <= .warn, last.replace(by: event.text) else { return }
      io.tell(DisplayText.line(event.text))
    }
  }

  /// Runs work, and reports when the network is lost and found.
  func watching<R: Sendable>(
    _ messenger: Messenger, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    let watch = Task { [io] in
      var isFailing = false
      while (try? await Task.sleep(for: Self.interval)) != nil {
        let condition = await messenger.pollCondition()
        let fails = condition.failures >= Self.mostFailures
        guard fails != isFailing else { continue }
        isFailing = fails
        // Reasons may name nodes and addresses: they stay out of the journal.
        io.tell(
          fails
            ? "the network is unreachable; new messages will follow later" : "the network is reachable again")
      }
    }
    defer { watch.cancel() }
    return try await body()
  }

  /// The line that was told last, which is not told again.
  private final class LastLine: Sendable {
    private let line = Mutex("")

    /// False where it is the same.
    func replace(by new: String) -> Bool {
      line.withLock { line in
        defer { line = new }
        return line != new
      }
    }
  }
}
