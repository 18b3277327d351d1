import SessionCore

extension Command {
  static let id = Command(
    name: "id",
    summary: "show the kind of an id, or why it is invalid",
    arguments: [.init(name: "ID", summary: "66 hexadecimal digits")],
    options: [.json],
    examples: [
      .init(line: "session id 05d2ad…3a72", summary: "show that it is an account id")
    ],
    rpc: .none(.isLocal)
  ) { invocation, _ in
    let id = try SessionID(parsing: invocation.arguments[0])
    if invocation.has("json") {
      return CommandOutput(json: ["id": .string(id.description), "kind": .string("\(id.kind.name)")])
    }
    return CommandOutput(fields: [("id", .text(id.description)), ("kind", .text(id.kind.description))])
  }
}

extension SessionID.Kind {
  /// For programs to read; it does not change.
  fileprivate var name: String {
    switch self {
    case .unblinded: "unblinded"
    case .group: "group"
    case .standard: "account"
    case .version: "version"
    case .blinded15: "blinded15"
    case .blinded25: "blinded25"
    }
  }
}
