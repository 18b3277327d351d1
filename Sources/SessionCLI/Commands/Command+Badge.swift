import Glibc
import SessionBase
import SessionDaemon

extension Command {
  static let badge = Command(
    name: "badge",
    summary: "print the number of unread messages of all accounts",
    discussion: """
      Muted conversations are left out, and each message request counts as one. An account that needs its passphrase is
      not counted; --json shows its state as locked.

      --follow prints a line now and one whenever the number changes, at most four a second, until Ctrl-C. While no daemon
      runs, it looks every five seconds.
      """,
    options: [
      .init(
        name: "format", value: "TEXT",
        summary: "what to print, with \(BadgeText.names) in it; {unread} by default"),
      .init(name: "follow", summary: "print a line at each change"), .json,
    ],
    examples: [
      .init(line: "session badge", summary: "print a number, for a status bar"),
      .init(
        line: "session badge --follow --format '✉ {unread} ({mentions})'",
        summary: "feed a status bar that reads lines"),
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let text = try invocation.badgeText()
    @Sendable func output(_ badges: [AccountBadge]) -> CommandOutput {
      invocation.has("json")
        ? CommandOutput(json: badges.json) : CommandOutput(text: text.line(badges.total) + "\n")
    }
    guard invocation.has("follow") else { return output(try await [AccountBadge](io)) }
    return try await cancelledBySignals {
      do {
        try await following(io) { try SessionTool.write(output($0), to: io) }
      } catch is CancellationError {
        try Interruption.check()
      }
      return CommandOutput()
    }
  }

  /// How soon it looks again while no daemon runs.
  private static let interval = Duration.seconds(5)
  /// How soon it looks for another daemon when one has ended.
  private static let retryDelay = Duration.milliseconds(250)

  /// Tells at each change until the task is cancelled, or the reader of the lines is gone.
  private static func following(_ io: CommandIO, _ tell: ([AccountBadge]) throws -> Void) async throws {
    var told: [AccountBadge]?
    func tellOnce(_ badges: [AccountBadge]) throws {
      if badges != told { try tell(badges) }
      told = badges
    }
    while true {
      try Task.checkCancellation()
      let watch = BadgeWatch()
      if let path = DaemonClient.socket(io), let client = try? RPCClient(to: path, hear: watch.hear),
        client.serverUser == geteuid()
      {
        do { try await watch.follow(client, tellOnce) } catch is RPCClient.Gone {
          // The daemon has ended.
        } catch is RPCError {
          // It is about to end, or an account was closed just now.
        }
        try await Task.sleep(for: retryDelay)
      } else {
        try tellOnce(try await [AccountBadge](io))
        try await Task.sleep(for: interval)
      }
    }
  }
}

extension Invocation {
  fileprivate func badgeText() throws(CommandFailure) -> BadgeText {
    guard let format = self["format"] else { return .usual }
    guard !has("json") else { throw misuse("give --format or --json, not both") }
    do throws(BadgeText.Mistake) { return try BadgeText(format) } catch {
      throw misuse("--format: \(error.description)")
    }
  }
}
