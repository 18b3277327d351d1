import SessionCore

extension Command {
  static let messageWrite = Command(
    name: "message write",
    summary: "encode a text message as it is stored or posted",
    discussion: """
      The message is one line of base64 text: what a client stores in the swarm of an account or group, or posts
      to a community's inbox or room. Nothing is sent. 'session inspect message' decodes it.
      """,
    arguments: [
      .init(name: "FILE|-", summary: "the text; standard input by default", isOptional: true)
    ],
    options: [
      .init(
        name: "from", value: "PHRASEFILE|-", summary: "the recovery phrase of the sender", isRequired: true),
      .init(
        name: "to", value: "ID", summary: "an account, a group, or a person with a blinded id in a community"),
      .init(name: "room", summary: "to a community's room, instead of --to"),
      .init(
        name: "group-key", value: "KEYFILE", summary: "the key of the group, a line of 64 hexadecimal digits"),
      .init(
        name: "server", value: "KEY", summary: "the key of the community's server, 64 hexadecimal digits"),
      .init(name: "sent", value: "MILLISECONDS", summary: "the time to write, since 1970; now by default"),
      .init(name: "raw", summary: "write bytes instead of base64 text"),
    ],
    examples: [
      .init(
        line: "echo 'See you at eight' | session message write --from alice.phrase --to 05d2ad\u{2026}3a72",
        summary: "print what would be stored for the recipient")
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    try invocation.requireOneStandardInput(
      invocation.required("from"), invocation.arguments.first, invocation["group-key"] ?? "no file")
    let destination = try invocation.destination(io)
    let sentAt = try invocation.sentAt(io)
    let account = try io.account(from: invocation.required("from"))
    let text = try io.text(from: invocation.arguments.first)
    let message = try Message(.visible(VisibleMessage(body: text)), sentAt: sentAt)
    let bytes = try account.encode(message, for: destination)
    return invocation.has("raw")
      ? CommandOutput(data: [.bytes(bytes)]) : CommandOutput(text: bytes.base64 + "\n")
  }
}

extension Invocation {
  fileprivate func destination(_ io: CommandIO) throws(CommandFailure) -> MessageDestination {
    guard let id = try id("to", .standard, .group, .blinded15, .blinded25) else {
      guard has("room") else { throw misuse("--to or --room is missing") }
      return .community
    }
    guard !has("room") else { throw misuse("--to and --room exclude each other") }
    switch id.kind {
    case .group:
      guard let path = self["group-key"], let key = try io.groupKeys(from: path).first else {
        throw misuse("a group needs --group-key")
      }
      return .group(id, key: key)
    case .blinded15, .blinded25:
      guard let server = try key("server") else { throw misuse("a blinded id needs --server") }
      return .inbox(id, server: server)
    default:
      return .contact(id)
    }
  }

  fileprivate func sentAt(_ io: CommandIO) throws(CommandFailure) -> MessageTime {
    let number = self["sent"].map { UInt64($0) ?? 0 } ?? io.now()
    guard let time = try? MessageTime(milliseconds: number) else {
      throw misuse("--sent is a number of milliseconds since 1970")
    }
    return time
  }
}
