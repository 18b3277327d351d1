import SessionCore
import SessionMessaging
import SessionStorage

extension Command {
  static let accountNew = Command(
    name: "account new",
    summary: "create an account",
    discussion: """
      An account is 13 words, its recovery phrase. Whoever has them is you: keep them secret, and keep them
      safe, for nobody can give them back to you. The id is what you tell others.

      With a name the account is kept on this machine, and other commands use it; 'account export-phrase' shows
      its words. Without one nothing is kept but what is shown.
      """,
    arguments: [.init(name: "NAME", summary: "what to call it on this machine", isOptional: true)],
    options: [
      .init(
        name: "out", value: "FILE",
        summary: "write the phrase to a new file that you alone can read, do not show it"),
      .displayName, .network, .json,
    ],
    examples: [
      .init(line: "session account new alice", summary: "makes an account and keeps it on this machine"),
      .init(
        line: "session account new --out alice.phrase", summary: "shows the id, keeps the phrase in a file"),
    ]
  ) { invocation, io in
    let account = try Account.generate()
    if let name = invocation.arguments.first {
      guard invocation["out"] == nil else {
        throw invocation.misuse("give a NAME or --out, not both; 'account export-phrase' writes the words")
      }
      return try await invocation.keep(account, as: name, io)
    }
    let phrase = try account.recoveryPhrase().text()
    guard let path = invocation["out"] else {
      return account.output(revealing: phrase, as: invocation)
    }
    try io.create(path, phrase)
    var output = account.output(revealing: nil, as: invocation)
    output.notes = ["The recovery phrase is in \(path). Keep it secret, and keep a copy on paper."]
    return output
  }

  static let accountRestore = Command(
    name: "account restore",
    summary: "bring an account to this machine, by its recovery phrase",
    discussion: """
      Contacts, conversations and what the network still holds of them come with the first 'session receive'. The
      words are asked for, or read from a file; they never stand on the command line, which others can see.
      """,
    arguments: [.init(name: "NAME", summary: "what to call it on this machine")],
    options: [
      .init(
        name: "phrase", value: "FILE|-", summary: "read the words from here; they are asked for otherwise"),
      .network, .json,
    ],
    examples: [
      .init(line: "session account restore alice", summary: "asks for the words"),
      .init(
        line: "pass show session | session account restore alice --phrase -",
        summary: "takes the words from another program"),
    ]
  ) { invocation, io in
    try await invocation.keep(try await invocation.restored(io), as: invocation.arguments[0], io)
  }

  static let accountList = Command(
    name: "account list",
    summary: "list the accounts on this machine",
    options: [.json],
    examples: [.init(line: "session account list --json | jq -r .name", summary: "their names alone")]
  ) { invocation, io in
    let book = try AccountBook(io)
    let used = try? book.account(named: nil).name
    let accounts = try book.all()
    guard !accounts.isEmpty else { return CommandOutput(notes: ["There is no account on this machine yet."]) }
    guard !invocation.has("json") else {
      return CommandOutput(
        lines: try accounts.map { account in
          [
            "name": .string(account.name), "network": .string(try book.network(of: account, io: io).text),
            "used": .boolean(account.name == used),
          ]
        })
    }
    var table = TextTable(head: ["", "name", "network"])
    for account in accounts {
      let network = try book.network(of: account, io: io).text
      table.rows.append([account.name == used ? "*" : "", account.name, network])
    }
    return CommandOutput(data: table.parts)
  }

  static let accountShow = Command(
    name: "account show",
    summary: "show the id of an account",
    discussion: "On a terminal the id is drawn as a QR code too, which other clients can scan.",
    arguments: [
      .init(
        name: "ACCOUNT|FILE|-",
        summary: "an account of this machine, or else a file with a recovery phrase; - for standard input",
        isOptional: true)
    ],
    options: [
      .init(name: "phrase", summary: "show the recovery phrase too, cleaned up"),
      .init(name: "qr", summary: "draw the QR code wherever the output goes"),
      .json,
    ],
    examples: [
      .init(line: "session account show", summary: "the id of the account that is used"),
      .init(line: "session account show alice.phrase", summary: "shows the id that the phrase stands for"),
    ]
  ) { invocation, io in
    let account = try await invocation.shownAccount(io)
    let phrase = invocation.has("phrase") ? try account.recoveryPhrase().text() : nil
    var output = account.output(revealing: phrase, as: invocation)
    if !invocation.has("json"), invocation.has("qr") || io.isTerminal {
      output.data.append(.text("\n" + (try QRCode(account.id.description).text)))
    }
    return output
  }

  static let accountUse = Command(
    name: "account use",
    summary: "choose the account that commands use when they name none",
    arguments: [.init(name: "ACCOUNT", summary: "the account")]
  ) { invocation, io in
    let book = try AccountBook(io)
    let account = try book.account(named: invocation.arguments[0])
    try book.choose(account)
    return CommandOutput(notes: ["\(account.name) is used from now on."])
  }

  static let accountExportPhrase = Command(
    name: "account export-phrase",
    summary: "show the recovery phrase of an account on this machine",
    discussion: """
      Whoever reads these words is you. Write them on paper. Where the database is missing or damaged, any copy of it that
      is left in the folder of the account will do.
      """,
    arguments: [
      .init(name: "ACCOUNT", summary: "the account; the one that is used by default", isOptional: true)
    ],
    options: [
      .init(name: "out", value: "FILE", summary: "write it to a new file that you alone can read instead"),
      .json,
    ]
  ) { invocation, io in
    let book = try AccountBook(io)
    let account = try book.account(named: invocation.arguments.first)
    let passphrase = try await AccountPassphrase(io: io).needed(for: account)
    let restored = try Account(try await Messenger.recoveryPhrase(of: account, passphrase: passphrase))
    let (phrase, id) = (try restored.recoveryPhrase().text(), restored.id.description)
    guard let path = invocation["out"] else {
      return invocation.has("json")
        ? CommandOutput(json: ["id": .string(id), "recovery_phrase": .secret(phrase)])
        : CommandOutput(data: [.secret(phrase), .text("\n")])
    }
    try io.create(path, phrase)
    var output = invocation.has("json") ? CommandOutput(json: ["id": .string(id)]) : CommandOutput()
    output.notes = ["The recovery phrase is in \(path)."]
    return output
  }

  static let accountLock = Command(
    name: "account lock",
    summary: "forget the key of an account that a passphrase protects",
    discussion: """
      The kernel's keyring keeps the key while you are logged in, so that the passphrase is asked for once. This drops it:
      the next command asks again. A program that has the account open keeps it.
      """,
    arguments: [
      .init(name: "ACCOUNT", summary: "the account; the one that is used by default", isOptional: true)
    ]
  ) { invocation, io in
    let account = try AccountBook(io).account(named: invocation.arguments.first)
    let keys = DatabaseKeys(path: account.key)
    guard try keys.protection() == .passphrase else {
      throw StorageError(.passphraseNotSet, "\(account.name) has no passphrase")
    }
    keys.lock()
    return CommandOutput(notes: ["The passphrase of \(account.name) is asked for again."])
  }

  static let accountDelete = Command(
    name: "account delete",
    summary: "remove an account from this machine, with all of its messages",
    discussion: """
      The account itself lives on for whoever has its recovery phrase: other devices keep theirs, and the network
      keeps what it holds. What is only on this machine is gone for good.
      """,
    arguments: [.init(name: "ACCOUNT", summary: "the account")],
    options: [.init(name: "yes", summary: "do it; without this nothing is removed")]
  ) { invocation, io in
    let book = try AccountBook(io)
    let account = try book.account(named: invocation.arguments[0])
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "this removes the account \(account.name) with all of its messages from this machine",
        advice: "'session account export-phrase \(account.name)' shows its words; --yes goes on.")
    }
    try account.remove()
    book.forget(account)
    return CommandOutput(notes: ["\(account.name) is not on this machine any more."])
  }
}

extension Command.Option {
  static let json = Command.Option(name: "json", summary: "write JSON, one object on a line")
  fileprivate static let displayName = Self(
    name: "display-name", value: "TEXT", summary: "what others are shown of you; the name by default")
  fileprivate static let network = Self(
    name: "network", value: "NETWORK",
    summary: "main, test, devnet or the path of a network file; remembered, and main unless 'config' says so")
}

extension Invocation {
  /// Makes an account on this machine.
  fileprivate func keep(_ account: Account, as name: String, _ io: CommandIO) async throws -> CommandOutput {
    let book = try AccountBook(io)
    let folder = try book.folder(name)
    guard !folder.exists else {
      throw CommandFailure(
        status: .cannotCreate, message: "there is an account \(name) on this machine already",
        advice: "Choose another name.")
    }
    let network =
      self["network"].map { AccountNetwork($0, folder: io.environment["PWD"]) }
      ?? AccountNetwork(io.settings.network ?? "main", folder: book.roots.config)
    // A name that is made up would take the place of the one that comes from other devices.
    let displayName = command.name == Command.accountNew.name ? self["display-name"] ?? name : nil
    // What is wrong with the network shows before anything is made.
    _ = try network.reach(io: io)
    do {
      try await OpenAccount.create(account, name: displayName, in: folder)
      try book.setNetwork(network, of: folder)
    } catch let error as MessengerError where error.code == .accountExists {
      // Another process was faster: what is there is its own.
      throw error
    } catch let error as StorageError where [.locked, .duplicate].contains(error.code) {
      throw error
    } catch {
      // What is there of it would stand in the way of the next attempt.
      try? folder.remove()
      book.forget(folder)
      throw error
    }
    let id = account.id
    guard !has("json") else {
      return CommandOutput(json: ["id": .string(id.description), "name": .string(name)])
    }
    return CommandOutput(
      text: id.description + "\n",
      notes: [
        "The account \(name) is on this machine, in the network \(network.text).",
        OpenKeyFile.warningWithAdvice,
        "'session account export-phrase \(name)' shows the words that restore it: write them on paper.",
      ])
  }

  fileprivate func restored(_ io: CommandIO) async throws -> Account {
    if let path = self["phrase"] { return try io.account(from: path) }
    guard var typed = try await io.askSecret("The 13 words of the recovery phrase: ") else {
      throw misuse("there is nobody to ask for the words: give --phrase FILE, or --phrase -")
    }
    defer { typed.wipe() }
    return try Account(RecoveryPhrase(parsing: typed))
  }

  /// The account that the argument means.
  fileprivate func shownAccount(_ io: CommandIO) async throws -> Account {
    guard let name = arguments.first else {
      return try await account(in: try self.account(io).1, io)
    }
    guard AccountFolder.isName(name), let book = try? AccountBook(io), let folder = try? book.folder(name),
      folder.exists
    else { return try io.account(from: name) }
    return try await account(in: folder, io)
  }

  private func account(in folder: AccountFolder, _ io: CommandIO) async throws -> Account {
    let opened = try await OpenAccount.reading(folder, io: io)
    let phrase = Result { try opened.messenger.recoveryPhrase() }
    await opened.close()
    return try Account(try phrase.get())
  }
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
