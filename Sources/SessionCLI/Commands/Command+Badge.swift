import SessionCore
import SessionMessaging
import SessionStorage

extension Command {
  static let badge = Command(
    name: "badge",
    summary: "print the number of unread messages of all accounts",
    discussion: """
      Muted conversations are left out, and each message request counts as one. An account that needs its passphrase is
      not counted; --json shows its state as locked.
      """,
    options: [.json],
    examples: [.init(line: "session badge", summary: "print a number, for a status bar")],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let now = Int64(clamping: io.now())
    var badges: [AccountBadge] = []
    for account in try AccountBook(io).all() where !account.wasReplaced {
      badges.append(try await AccountBadge(of: account, at: now, io))
    }
    guard invocation.has("json") else {
      let total = badges.reduce(0) { $0 + ($1.counts?.total ?? 0) }
      return CommandOutput(text: "\(total)\n")
    }
    func sum(_ part: (AccountBadge.Counts) -> Int) -> JSONObject.Value {
      .integer(UInt64(badges.reduce(0) { $0 + ($1.counts.map(part) ?? 0) }))
    }
    return CommandOutput(json: [
      "type": .string("badge"), "unread": sum(\.unread), "mentions": sum(\.mentions),
      "requests": sum(\.requests), "accounts": .objects(badges.map(\.json)),
    ])
  }
}

/// What is unread in an account.
private struct AccountBadge: Sendable {
  struct Counts: Sendable {
    var unread = 0
    var mentions = 0
    var requests = 0

    var total: Int { unread + requests }
  }

  let name: String
  /// Nil for an account that is locked.
  let counts: Counts?

  init(of account: AccountFolder, at now: Int64, _ io: CommandIO) async throws {
    name = account.name
    let opened: OpenAccount
    do {
      opened = try await OpenAccount.reading(
        account, try await AccountKey(io: io).unattended(for: account))
    } catch let error as StorageError where error.code == .passphraseNeeded {
      counts = nil
      return
    }
    let found: Result<Counts, any Error>
    do {
      found = .success(try await Self.counts(in: opened.messenger, at: now))
    } catch {
      found = .failure(error)
    }
    await opened.close()
    counts = try found.get()
  }

  private static func counts(in messenger: Messenger, at now: Int64) async throws -> Counts {
    var counts = Counts()
    for view in try await messenger.conversations()
    where view.mutedUntil.map({ $0 <= now }) ?? true && view.notifying != .ofNothing {
      counts.unread += view.unreadMessages
      counts.mentions += view.unreadMentions
    }
    counts.requests = try await messenger.requests().count
    return counts
  }

  var json: JSONObject {
    var object: JSONObject = [
      "name": .string(name), "state": .string(counts == nil ? "locked" : "open"),
    ]
    object["unread"] = counts.map { .integer(UInt64($0.unread)) }
    object["mentions"] = counts.map { .integer(UInt64($0.mentions)) }
    object["requests"] = counts.map { .integer(UInt64($0.requests)) }
    return object
  }
}
