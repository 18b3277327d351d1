import SessionBase
import SessionDaemon
import SessionStorage

extension Command {
  static let daemonTokenNew = Command(
    name: "daemon token new",
    summary: "give a program access to the daemon over HTTP",
    discussion: """
      Prints the token, which is shown only now. Programs send it as 'Authorization: Bearer TOKEN'. See 'session help
      daemon-http'.
      """,
    arguments: [.init(name: "NAME", summary: "a name of a-z, 0-9, and also . _ - after the first")],
    options: [
      .init(
        name: "scope", value: "SCOPE",
        summary: "what it may do: read, send, manage or admin; read and send by default", isRepeated: true),
      .init(
        name: "account", value: "ACCOUNT", summary: "an account that it may use; all by default",
        isRepeated: true),
      .init(
        name: "expires", value: "TIME", summary: "how long it is valid, such as 30d; without limit by default"
      ),
      .json,
    ],
    examples: [
      .init(
        line: "session daemon token new grafana --scope read --expires 90d",
        summary: "let a program read, for three months")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let (name, now) = (invocation.arguments[0], Int64(io.now()))
    guard AccessToken.isName(name) else {
      throw invocation.misuse("a name has up to 64 of a-z, 0-9, and also . _ - after the first")
    }
    let book = try AccountBook(io)
    let accounts = try invocation.all("account").map { try book.account(named: $0).name }
    let (token, secret) = try AccessToken.make(
      name, try invocation.scopes(), accounts: accounts.isEmpty ? nil : Set(accounts), at: now,
      expiresAt: try invocation.expiry(from: now))
    try await TokenFile(in: book.roots).change { tokens in
      guard !tokens.contains(where: { $0.name == name }) else {
        throw CommandFailure(
          status: .cannotCreate, message: "there is a token \(name) already",
          advice: "To take it back, run: session daemon token revoke \(name)")
      }
      guard tokens.count < TokenFile.limit else {
        throw CommandFailure(
          status: .cannotCreate, message: "there are \(TokenFile.limit) tokens already",
          advice: "'session daemon token list' shows those that have expired.")
      }
      tokens.append(token)
    }
    guard !invocation.has("json") else {
      return CommandOutput(json: [
        "type": .string("new-token"), "name": .string(name), "token": .secret(secret),
      ])
    }
    return CommandOutput(data: [.secret(secret), .text("\n")])
  }

  static let daemonTokenList = Command(
    name: "daemon token list",
    summary: "list the tokens of programs, without their secrets",
    options: [.json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let tokens = try TokenFile(in: try io.roots()).read()
    guard !invocation.has("json") else { return CommandOutput(lines: tokens.map(\.jsonObject)) }
    var table = TextTable(head: ["name", "scopes", "accounts", "made", "expires", "last used"])
    table.rows = tokens.map(\.row)
    return CommandOutput(data: table.parts)
  }

  static let daemonTokenRevoke = Command(
    name: "daemon token revoke",
    summary: "take a token back",
    discussion: "What a program has opened with it ends within a second or two.",
    arguments: [.init(name: "NAME", summary: "the name of the token")],
    rpc: .none(.isServer)
  ) { invocation, io in
    let name = invocation.arguments[0]
    try await TokenFile(in: try io.roots()).change { tokens in
      guard let index = tokens.firstIndex(where: { $0.name == name }) else {
        let hint = nearestName(to: name, among: tokens.map(\.name)).map { "; did you mean \($0)?" } ?? ""
        throw CommandFailure(
          status: .configuration, message: "there is no token \(name)\(hint)",
          advice: "'session daemon token list' lists the tokens.")
      }
      tokens.remove(at: index)
    }
    return CommandOutput()
  }
}

extension AccessToken {
  private var scopeNames: [String] { RPCScope.allCases.filter(scopes.contains).map(\.rawValue) }

  fileprivate var row: [String] {
    [
      name, scopeNames.joined(separator: " "), accounts?.sorted().joined(separator: " ") ?? "all",
      LocalTime.text(createdAt), expiresAt.map(LocalTime.text) ?? "never",
      usedAt.map { String(LocalTime.universal($0).prefix(10)) } ?? "never",
    ]
  }

  fileprivate var jsonObject: JSONObject {
    var object: JSONObject = [
      "type": .string("token"), "name": .string(name), "scopes": .strings(scopeNames),
      "created": .difference(createdAt),
    ]
    object["accounts"] = accounts.map { .strings($0.sorted()) }
    object["expires"] = expiresAt.map { .difference($0) }
    object["used"] = usedAt.map { .difference($0) }
    return object
  }
}

extension Invocation {
  fileprivate func scopes() throws(CommandFailure) -> Set<RPCScope> {
    let names = all("scope")
    guard !names.isEmpty else { return [.read, .send] }
    var scopes: Set<RPCScope> = []
    for name in names {
      guard let scope = RPCScope(rawValue: name) else {
        throw misuse("there is no scope \(name); the scopes are read, send, manage and admin")
      }
      guard AccessToken.grantable.contains(scope) else { throw misuse("no token can have the scope \(name)") }
      scopes.insert(scope)
    }
    return scopes
  }

  /// The time at which a token expires, in milliseconds since 1970; nil for never.
  fileprivate func expiry(from now: Int64) throws(CommandFailure) -> Int64? {
    guard let text = self["expires"] else { return nil }
    let longest: Int64 = 100 * 366 * 86_400
    guard let span = TimeSpan(text), (1...longest).contains(span.seconds) else {
      throw misuse("--expires is a time, such as 30d")
    }
    return now + span.seconds * 1000
  }
}
