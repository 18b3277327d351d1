import SessionBase
import SessionDaemon
import SessionMessaging
import SessionStorage

/// What is unread in an account.
struct AccountBadge: Hashable, Sendable {
  let name: String
  /// Nil for an account that is locked.
  let counts: UnreadCounts?

  var json: JSONObject {
    let members: [(String, JSONObject.Value)] = [
      ("name", .string(name)), ("state", .string(counts == nil ? "locked" : "open")),
    ]
    return JSONObject(members: members + (counts?.members ?? []))
  }
}

extension [AccountBadge] {
  var total: UnreadCounts { reduce(UnreadCounts()) { $0 + ($1.counts ?? UnreadCounts()) } }

  var json: JSONObject {
    var object: JSONObject = ["type": .string("badge")]
    for (name, value) in total.members { object[name] = value }
    object["accounts"] = .objects(map(\.json))
    return object
  }

  /// Those of all accounts of this machine.
  init(_ io: CommandIO) async throws {
    let now = Int64(clamping: io.now())
    self = []
    for account in try AccountBook(io).all() where !account.wasReplaced {
      append(try await AccountBadge(of: account, at: now, io))
    }
  }

  /// Those of the accounts that a daemon serves, by its replies.
  init(of client: RPCClient) async throws {
    let badge = try await client.call("badge")
    let states = try await client.call("hello")["accounts"]
    func entries(_ value: JSONValue?) -> [JSONValue] {
      guard case .array(let elements)? = value else { return [] }
      return elements
    }
    var open: [String: UnreadCounts] = [:]
    for entry in entries(badge["accounts"]) {
      var counts = UnreadCounts()
      counts.messages = Int(clamping: entry["unread"]?.integer ?? 0)
      counts.mentions = Int(clamping: entry["mentions"]?.integer ?? 0)
      counts.requests = Int(clamping: entry["requests"]?.integer ?? 0)
      open[entry["name"]?.string ?? ""] = counts
    }
    self = entries(states).compactMap { $0["name"]?.string }.map {
      AccountBadge(name: $0, counts: open[$0])
    }
  }
}

extension AccountBadge {
  fileprivate init(of account: AccountFolder, at now: Int64, _ io: CommandIO) async throws {
    name = account.name
    let opened: OpenAccount
    do {
      opened = try await OpenAccount.reading(
        account, try await AccountKey(io: io).unattended(for: account))
    } catch let error as StorageError where error.code == .passphraseNeeded {
      counts = nil
      return
    }
    let found: Result<UnreadCounts, any Error>
    do {
      found = .success(try await UnreadCounts(in: opened.messenger, at: now))
    } catch {
      found = .failure(error)
    }
    await opened.close()
    counts = try found.get()
  }
}
