import Glibc
import SessionBase
import SessionMessaging

/// The server's reply to `hello`.
struct Greeting: Sendable {
  /// The version of the public methods.
  static let protocolVersion: Int64 = 1
  /// The version of the methods between programs of this project; they understand each other only if it is equal.
  static let internalVersion: Int64 = 2

  let version: String
  let dataRoot: FileIdentity
  /// When the server began, in milliseconds since 1970.
  let startedAt = MachineClock.wallMilliseconds
  /// Differs from one run of the server to the next.
  let instance = String(UInt64.random(in: .min ... .max), radix: 16)

  func json(_ accounts: [ServedAccount], _ access: RPCAccess) -> JSONValue {
    [
      "server": "session", "version": .string(version), "protocol": .integer(Self.protocolVersion),
      "internal": .integer(Self.internalVersion), "instance": .string(instance),
      "data_root": .string(dataRoot.text), "accounts": .array(accounts.map(\.json)),
      "limits": [
        "line": .integer(Int64(RPCLimits.line)), "reply": .integer(Int64(RPCLimits.reply)),
        "calls": .integer(Int64(RPCLimits.calls)),
      ],
      "scopes": .array(RPCScope.allCases.filter(access.scopes.contains).map { .string($0.rawValue) }),
    ]
  }
}

extension ServedAccount {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [.init("name", .string(name))]
    if let id { members.append(.init("id", .string(id))) }
    members.append(.init("state", .string(state)))
    if let failure { members.append(.init("failure", .string(failure))) }
    if isStuck { members.append(.init("stuck_ms", .integer(writingTime.milliseconds))) }
    return .object(members)
  }
}

extension EventReaderView {
  fileprivate func json(of account: String) -> JSONValue {
    [
      "account": .string(account), "name": .string(name), "pending": .integer(Int64(pending)),
      "dead": .integer(Int64(dead)),
    ]
  }
}

/// A file or folder, whatever path leads there.
struct FileIdentity: Hashable, Sendable {
  let text: String

  init(of path: String) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(.unreadable, "cannot look at", path) }
    text = "\(status.st_dev):\(status.st_ino)"
  }
}

extension RPCMethod {
  /// All methods of a server, by their names.
  static func table(
    _ methods: [RPCMethod], _ greeting: Greeting, connections: Counter,
    _ statistics: CallStatistics = CallStatistics()
  ) -> [String: RPCMethod] {
    let all =
      methods + basic(greeting) + messenger
      + [status(greeting, connections: connections, statistics)]
    return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  }

  /// The methods that need no account.
  static func basic(_ greeting: Greeting) -> [RPCMethod] {
    [
      RPCMethod(
        "hello", needs: nil, takes: ["client", "version", "protocol", "account", "internal"]
      ) { call in
        if let number = call.params["protocol"], number != .integer(Greeting.protocolVersion) {
          throw RPCError.invalidParams("this program speaks protocol \(Greeting.protocolVersion) only")
        }
        if let name = call.params["account"] {
          guard let name = name.string else { throw RPCError.invalidParams("\"account\" is a text") }
          guard await call.connection.accounts.all().contains(where: { $0.name == name }) else {
            throw RPCError.noAccount(name)
          }
          call.connection.account = name
        }
        if call.params["internal"]?.integer == Greeting.internalVersion {
          try call.access.require(.admin, for: "\"internal\"")
          call.connection.isOurs = true
        }
        return greeting.json(await call.connection.accounts.all(), call.access).description
      },
      RPCMethod("daemon.ping", needs: nil, takes: []) { _ in "{\"at\":\(MachineClock.wallMilliseconds)}" },
    ]
  }

  /// The state of the server.
  static func status(
    _ greeting: Greeting, connections: Counter, _ statistics: CallStatistics
  ) -> RPCMethod {
    RPCMethod("daemon.status", needs: .read, takes: []) { call in
      let accounts = await call.connection.accounts.all()
      var readers: [JSONValue] = []
      for account in accounts where account.isOpen && !account.isStuck {
        // One that is closed meanwhile has none to show.
        let messenger = await call.connection.accounts.openMessenger(named: account.name)
        readers += ((try? await messenger?.readers()) ?? []).map { $0.json(of: account.name) }
      }
      let status: JSONValue = [
        "v": 1, "type": "daemon", "version": .string(greeting.version), "process": .integer(Int64(getpid())),
        "started_at": .integer(Int64(greeting.startedAt)),
        "accounts": .array(accounts.map(\.json)), "readers": .array(readers),
        "connections": .integer(Int64(connections.value)), "memory": .integer(Int64(MemoryUse.now)),
        "ignored": .integer(Int64(statistics.ignored)),
      ]
      return status.description
    }
  }
}
