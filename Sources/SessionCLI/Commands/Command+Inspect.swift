import SessionCore

extension Command {
  static let inspectMessage = Command(
    name: "inspect message",
    summary: "take a stored message apart, layer by layer",
    discussion: """
      Shows where every field begins and how long it is, what it is called and what it says; which signatures are
      good; which rule the message breaks, if any. Each layer counts its bytes from 0. Without a key the outer
      layers are shown. Keys inside a message are not shown.
      """,
    arguments: [
      .init(name: "FILE|-", summary: "the bytes, or base64 text; standard input by default", isOptional: true)
    ],
    options: [
      .init(name: "key", value: "PHRASEFILE", summary: "the recovery phrase of the reader"),
      .init(name: "group-id", value: "ID", summary: "the group, for a message of its swarm"),
      .init(
        name: "group-key", value: "KEYFILE",
        summary: "the keys of the group, a line of 64 hexadecimal digits each"),
      .json,
    ],
    examples: [
      .init(
        line: "session inspect message --key bob.phrase stored.txt", summary: "shows all of a message to Bob")
    ]
  ) { invocation, io in
    try invocation.requireOneStandardInput(
      invocation.arguments.first, invocation["key"] ?? "no file", invocation["group-key"] ?? "no file")
    let keys = try invocation.inspectionKeys(io)
    let bytes = try io.bytesOrBase64(from: invocation.arguments.first)
    return try CommandOutput(
      MessageInspection(keys: keys).inspect(bytes), asJSON: invocation.has("json"))
  }

  static let inspectBt = Command(
    name: "inspect bt",
    summary: "show what bt, the bencode of Session, holds",
    arguments: [
      .init(name: "FILE|-", summary: "the bytes, or base64 text; standard input by default", isOptional: true)
    ],
    options: [.json],
    examples: [
      .init(
        line: "session inspect bt config.bin", summary: "shows the values of a config, and where they stand")
    ]
  ) { invocation, io in
    // The base64 text of a value begins with none of the characters that values begin with.
    let bytes = try io.bytesOrBase64(from: invocation.arguments.first, rawBeginnings: "ild0123456789")
    return try CommandOutput(BtInspection.inspect(bytes), asJSON: invocation.has("json"))
  }

  static let inspectID = Command(
    name: "inspect id",
    summary: "show what an id is made of",
    arguments: [.init(name: "ID", summary: "66 hexadecimal digits")],
    options: [.json],
    examples: [
      .init(line: "session inspect id 05d2ad\u{2026}3a72", summary: "shows its kind and its key")
    ]
  ) { invocation, _ in
    try CommandOutput(
      Inspection(of: SessionID(parsing: invocation.arguments[0])), asJSON: invocation.has("json"))
  }
}

extension Invocation {
  fileprivate func inspectionKeys(_ io: CommandIO) throws(CommandFailure) -> MessageInspection.Keys {
    let account: Account? = if let path = self["key"] { try io.account(from: path) } else { nil }
    switch (self["group-id"], self["group-key"]) {
    case (nil, nil): return account.map { .account($0) } ?? .none
    case (let id?, let path?):
      return .group(try group(id), keys: try io.groupKeys(from: path), reader: account)
    case (_?, nil), (nil, _?):
      throw .usage(
        "\(command.name): --group-id and --group-key go together", advice: "Usage: \(command.usage)")
    }
  }

  private func group(_ text: String) throws(CommandFailure) -> SessionID {
    do {
      let id = try SessionID(parsing: text)
      guard id.kind == .group else {
        throw CommandFailure.usage(
          "--group-id: this is a \(id.kind)", advice: "Give a group id; it begins with 03.")
      }
      return id
    } catch {
      throw CommandFailure(error, subject: "--group-id")
    }
  }
}
