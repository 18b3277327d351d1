import SessionCore

extension Command {
  static let accountNew = Command(
    name: "account new",
    summary: "create an account",
    discussion: """
      An account is 13 words, its recovery phrase. Whoever has them is you: keep them secret, and keep them
      safe, for nobody can give them back to you. The id is what you tell others.
      """,
    options: [
      .init(
        name: "out", value: "FILE",
        summary: "write the phrase to a new file that you alone can read, do not show it"),
      .json,
    ],
    examples: [
      .init(
        line: "session account new --out alice.phrase", summary: "shows the id, keeps the phrase in a file")
    ]
  ) { invocation, io in
    let account = try Account.generate()
    let phrase = try account.recoveryPhrase().text()
    guard let path = invocation["out"] else {
      return account.output(revealing: phrase, as: invocation)
    }
    try io.create(path, phrase)
    var output = account.output(revealing: nil, as: invocation)
    output.notes = ["The recovery phrase is in \(path). Keep it secret, and keep a copy on paper."]
    return output
  }

  static let accountShow = Command(
    name: "account show",
    summary: "show the id of an account",
    arguments: [.init(name: "FILE|-", summary: "the recovery phrase; - for standard input")],
    options: [
      .init(name: "phrase", summary: "show the recovery phrase too, cleaned up"),
      .json,
    ],
    examples: [
      .init(line: "session account show alice.phrase", summary: "shows the id that the phrase stands for")
    ]
  ) { invocation, io in
    let account = try io.account(from: invocation.arguments[0])
    let phrase = invocation.has("phrase") ? try account.recoveryPhrase().text() : nil
    return account.output(revealing: phrase, as: invocation)
  }
}

extension Command.Option {
  static let json = Command.Option(name: "json", summary: "write one line of JSON")
}

extension Account {
  fileprivate func output(revealing phrase: SecretText?, as invocation: Invocation) -> CommandOutput {
    let id = id.description
    return switch (phrase, invocation.has("json")) {
    case (nil, true): CommandOutput(json: ["id": .string(id)])
    case (nil, false): CommandOutput(text: id + "\n")
    case (let phrase?, true): CommandOutput(json: ["id": .string(id), "recovery_phrase": .secret(phrase)])
    case (let phrase?, false):
      CommandOutput(fields: [("id", .text(id)), ("recovery phrase", .secret(phrase))])
    }
  }
}
