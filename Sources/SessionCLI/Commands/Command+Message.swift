import SessionCore

extension Command {
  static let seal = Command(
    name: "seal",
    summary: "encrypt a message for one account",
    discussion: """
      The sealed message is one line of base64 text. It proves its author to the recipient, and reveals only its
      length to others.
      """,
    arguments: [
      .init(name: "FILE|-", summary: "the message, up to 1 MiB; standard input by default", isOptional: true)
    ],
    options: [
      .init(
        name: "from", value: "PHRASEFILE|-", summary: "the recovery phrase of the sender", isRequired: true),
      .init(name: "to", value: "ID", summary: "the account id of the recipient", isRequired: true),
      .init(name: "raw", summary: "write bytes instead of base64 text"),
    ],
    examples: [
      .init(
        line: "echo 'See you at eight' | session seal --from alice.phrase --to 05d2ad…3a72",
        summary: "print the sealed message")
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    try invocation.requireOneStandardInput(invocation.required("from"), invocation.arguments.first)
    let recipient = try invocation.requiredID("to", .standard)
    let account = try io.account(from: invocation.required("from"))
    let sealed = try account.seal(io.message(from: invocation.arguments.first), for: recipient)
    return invocation.has("raw")
      ? CommandOutput(data: [.bytes(sealed)]) : CommandOutput(text: sealed.base64 + "\n")
  }

  static let open = Command(
    name: "open",
    summary: "decrypt a sealed message and show its author",
    discussion: """
      Writes the message to standard output, unchanged, and the sender's verified id to standard error. With --json both
      are on one line, the message as base64 text.
      """,
    arguments: [
      .init(name: "FILE|-", summary: "the sealed message; standard input by default", isOptional: true)
    ],
    options: [
      .init(
        name: "as", value: "PHRASEFILE|-", summary: "the recovery phrase of the recipient", isRequired: true),
      .init(name: "raw", summary: "read bytes instead of base64 text"),
      .json,
    ],
    examples: [
      .init(line: "session open --as bob.phrase sealed.txt", summary: "show the message and its sender")
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    try invocation.requireOneStandardInput(invocation.required("as"), invocation.arguments.first)
    let account = try io.account(from: invocation.required("as"))
    let sealed = try io.sealedMessage(from: invocation.arguments.first, isRaw: invocation.has("raw"))
    let message = try account.open(sealed)
    if invocation.has("json") {
      return CommandOutput(json: [
        "from": .string(message.sender.description), "content": .string(message.content.base64),
      ])
    }
    return CommandOutput(data: [.bytes(message.content)], notes: ["from \(message.sender)"])
  }
}
