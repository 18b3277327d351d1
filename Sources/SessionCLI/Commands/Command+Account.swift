import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

extension Command {
  static let accountNew = Command(
    name: "account new",
    summary: "create an account",
    discussion: """
      An account is a recovery phrase of 13 words. Anyone who knows the phrase controls the account. Keep it secret,
      and keep a copy: it cannot be recovered. Give others the id.

      With NAME the account is stored on this machine for other commands, and 'account export-phrase' shows its
      phrase. Without NAME the phrase is only printed.

      In a private network, where no official app is, an account with NAME has forward secrecy from the beginning: a
      device restored from the phrase cannot read the messages sent with it. See 'session help security enable'.
      """,
    arguments: [.init(name: "NAME", summary: "its name on this machine", isOptional: true)],
    options: [
      .init(
        name: "out", value: "FILE",
        summary: "write the phrase to a new private file instead of showing it"),
      .displayName,
      .init(
        name: "forward-secrecy",
        summary: "with NAME: switch on forward secrecy, which official apps do not take part in"),
      .init(
        name: "no-forward-secrecy",
        summary: "with NAME: leave forward secrecy off, also in a private network"), .network,
      .keyStore, .json,
    ],
    examples: [
      .init(line: "session account new alice", summary: "create an account on this machine"),
      .init(
        line: "session account new --out alice.phrase",
        summary: "show the id and write the phrase to a file"),
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let account = try Account.generate()
    if let name = invocation.arguments.first {
      guard invocation["out"] == nil else {
        throw invocation.misuse("give NAME or --out, not both; 'account export-phrase' writes the phrase")
      }
      return try await invocation.keep(account, as: name, io)
    }
    if let option = ["forward-secrecy", "no-forward-secrecy"].first(where: { invocation.has($0) }) {
      throw invocation.misuse("--\(option) is for an account with NAME")
    }
    let phrase = try account.recoveryPhrase().text()
    guard let path = invocation["out"] else {
      return account.output(revealing: phrase, as: invocation)
    }
    try await WorkerQueue("session.command").run { try io.create(path, phrase) }
    var output = account.output(revealing: nil, as: invocation)
    output.notes = ["The recovery phrase is in \(path). Keep it secret, and keep a copy on paper."]
    return output
  }

  static let accountRestore = Command(
    name: "account restore",
    summary: "restore an account from its recovery phrase",
    discussion: """
      The first 'session receive' restores contacts, conversations and the messages that the network still stores. The
      phrase is read from the terminal or from a file, never from the command line, which other users can see.
      """,
    arguments: [.init(name: "NAME", summary: "its name on this machine")],
    options: [
      .init(
        name: "phrase", value: "FILE|-", summary: "read the words from a file instead of the terminal"),
      .network, .keyStore, .json,
    ],
    examples: [
      .init(line: "session account restore alice", summary: "type the words at a prompt"),
      .init(
        line: "pass show session | session account restore alice --phrase -",
        summary: "read the words from another program"),
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    try await invocation.keep(try await invocation.restored(io), as: invocation.arguments[0], io)
  }

  static let accountList = Command(
    name: "account list",
    summary: "list the accounts on this machine",
    options: [.json],
    examples: [.init(line: "session account list --json | jq -r .name", summary: "print only their names")],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let book = try AccountBook(io)
    let accounts = try book.listed(io)
    guard !accounts.isEmpty else { return CommandOutput(notes: ["There is no account on this machine yet."]) }
    guard !invocation.has("json") else { return CommandOutput(lines: accounts.map(\.json)) }
    var table = TextTable(head: ["", "name", "network"])
    for account in accounts { table.rows.append([account.isUsed ? "*" : "", account.name, account.network]) }
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
      .init(name: "phrase", summary: "show the recovery phrase too, normalised"),
      .init(name: "qr", summary: "draw the QR code even if the output is not a terminal"),
      .json,
    ],
    examples: [
      .init(line: "session account show", summary: "show the id of the current account"),
      .init(
        line: "session account show alice.phrase", summary: "show the id of the account with this phrase"),
    ],
    rpc: .none(.hasOwnMethod)
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
    summary: "set the default account",
    arguments: [.init(name: "ACCOUNT", summary: "the account")],
    rpc: .none(.isPersonal)
  ) { invocation, io in
    let book = try AccountBook(io)
    let account = try book.account(named: invocation.arguments[0])
    try await WorkerQueue("session.command").run { try book.choose(account) }
    return CommandOutput(notes: ["\(account.name) is now the default account."])
  }

  static let accountExportPhrase = Command(
    name: "account export-phrase",
    summary: "show the recovery phrase of an account on this machine",
    discussion: """
      Anyone who knows this phrase controls the account. Write it on paper. If the database is missing or damaged, the
      phrase is read from any copy left in the folder of the account.
      """,
    arguments: [
      .init(name: "ACCOUNT", summary: "the account; the default account if omitted", isOptional: true)
    ],
    options: [
      .init(name: "out", value: "FILE", summary: "write it to a new private file instead"),
      .json,
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let book = try AccountBook(io)
    let account = try book.account(named: invocation.arguments.first)
    let secret = try await AccountKey(io: io).needed(for: account)
    let restored = try Account(try await Messenger.recoveryPhrase(of: account, secret: secret))
    let (phrase, id) = (try restored.recoveryPhrase().text(), restored.id.description)
    guard let path = invocation["out"] else {
      return invocation.has("json")
        ? CommandOutput(json: ["id": .string(id), "recovery_phrase": .secret(phrase)])
        : CommandOutput(data: [.secret(phrase), .text("\n")])
    }
    try await WorkerQueue("session.command").run { try io.create(path, phrase) }
    var output = invocation.has("json") ? CommandOutput(json: ["id": .string(id)]) : CommandOutput()
    output.notes = ["The recovery phrase is in \(path)."]
    return output
  }

  static let accountLock = Command(
    name: "account lock",
    summary: "lock an account that has a passphrase",
    discussion: """
      After you enter the passphrase, the kernel's keyring keeps the key until you log out. This command removes the key,
      so that the next command prompts again, and the daemon closes the account: nothing is received until it is unlocked.
      Other running programs keep their access. Where a slot needs no person, the next command opens the account with it.
      """,
    arguments: [
      .init(name: "ACCOUNT", summary: "the account; the default account if omitted", isOptional: true)
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let account = try AccountBook(io).account(named: invocation.arguments.first)
    let keys = DatabaseKeys(path: account.key)
    guard try keys.protection() != .open else {
      throw StorageError(.passphraseNotSet, "\(account.name) has no passphrase")
    }
    keys.lock()
    try await DaemonClient.lock(account.name, io)
    let opening = try await WorkerQueue("session.keys").run { try KeyPlaces(io: io).working(of: keys) }
    guard opening.isEmpty else {
      return CommandOutput(notes: ["Locked \(account.name) in the daemon.", KeyPlaces.note(opening)])
    }
    guard try keys.hasPassphrase() else {
      return CommandOutput(notes: [
        "Locked \(account.name). Nothing opens it now without the recovery phrase: see 'session key list'."
      ])
    }
    return CommandOutput(notes: ["Locked \(account.name). The next command prompts for the passphrase."])
  }

  static let accountSuspend = Command(
    name: "account suspend",
    summary: "suspend an account in the daemon",
    discussion: """
      The account stays open: messages can be read, and messages you send wait until 'session account resume'. The next
      start of the daemon resumes it, too.
      """,
    arguments: [
      .init(name: "ACCOUNT", summary: "the account; the default account if omitted", isOptional: true)
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let account = try AccountBook(io).account(named: invocation.arguments.first)
    _ = try await DaemonClient(io).call("account.suspend", ["name": .string(account.name)])
    return CommandOutput(notes: ["Suspended \(account.name). Nothing is received or sent."])
  }

  static let accountResume = Command(
    name: "account resume",
    summary: "have the daemon continue polling and sending for an account",
    arguments: [
      .init(name: "ACCOUNT", summary: "the account; the default account if omitted", isOptional: true)
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let account = try AccountBook(io).account(named: invocation.arguments.first)
    _ = try await DaemonClient(io).call("account.resume", ["name": .string(account.name)])
    return CommandOutput(notes: ["Resumed \(account.name)."])
  }

  static let accountUnlock = Command(
    name: "account unlock",
    summary: "unlock an account that has a passphrase",
    discussion: """
      Commands do not prompt again until you log out, or until 'session account lock'. The daemon opens the account. With
      --phrase the recovery phrase unlocks it, where the passphrase is forgotten. To replace the passphrase, run 'session
      key remove passphrase --yes', then 'session key move passphrase --phrase FILE'.
      """,
    arguments: [
      .init(name: "ACCOUNT", summary: "the account; the default account if omitted", isOptional: true)
    ],
    options: [
      .init(name: "phrase", value: "FILE|-", summary: "unlock it with the recovery phrase in a file")
    ],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let account = try AccountBook(io).account(named: invocation.arguments.first)
    let keys = DatabaseKeys(path: account.key)
    let protection = try keys.protection()
    guard protection != .open || invocation["phrase"] != nil else {
      throw StorageError(.passphraseNotSet, "\(account.name) has no passphrase")
    }
    let secret: KeySecret
    if let path = invocation["phrase"] {
      secret = .key(try keys.unlock(recovering: try io.account(from: path)))
    } else if try keys.hasPassphrase() {
      let passphrase = try await AccountPassphrase(io: io).asked("Passphrase of \(account.name): ")
      _ = try await WorkerQueue("session.command").run { try keys.unlock(passphrase) }
      secret = .passphrase(passphrase)
    } else {
      secret = .key(try await AccountKey(io: io).key(of: account))
    }
    try await DaemonClient.unlock(account.name, secret, io)
    return CommandOutput(notes: ["Unlocked \(account.name)."])
  }

  static let accountDelete = Command(
    name: "account delete",
    summary: "delete an account and its messages from this machine",
    discussion: """
      Other devices and the network keep their data, and the recovery phrase restores the account. Data that exists
      only on this machine is lost.
      """,
    arguments: [.init(name: "ACCOUNT", summary: "the account")],
    options: [.init(name: "yes", summary: "confirm the deletion")],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let book = try AccountBook(io)
    let account = try book.account(named: invocation.arguments[0])
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "this deletes the account \(account.name) and all of its messages from this machine",
        advice: "'session account export-phrase \(account.name)' shows its recovery phrase; --yes deletes it."
      )
    }
    let notes = try await AccountDoor.parked(account, io) { try await book.delete(account) }
    return CommandOutput(notes: ["\(account.name) was deleted from this machine."] + notes)
  }
}

extension Command.Option {
  static let json = Command.Option(name: "json", summary: "write JSON, one object per line")
  fileprivate static let displayName = Self(
    name: "display-name", value: "TEXT", summary: "the name that others see; the account name by default")
  fileprivate static let keyStore = Self(
    name: "key-store", value: "KIND",
    summary: "open, passphrase, credential or secret-service: what opens the messages; see 'key add'")
  fileprivate static let network = Self(
    name: "network", value: "NETWORK",
    summary: "main, test, devnet or the path of a network file; remembered; main unless 'config' sets another"
  )
}

extension Invocation {
  /// What the options say about forward secrecy; nil if they leave it to the network.
  private func forwardSecrecy() throws(CommandFailure) -> Bool? {
    switch (has("forward-secrecy"), has("no-forward-secrecy")) {
    case (true, true): throw misuse("give --forward-secrecy or --no-forward-secrecy, not both")
    case (true, false): true
    case (false, true): false
    case (false, false): nil
    }
  }

  /// Makes an account on this machine.
  fileprivate func keep(_ account: Account, as name: String, _ io: CommandIO) async throws -> CommandOutput {
    var new = try NewAccount(
      name, network: self["network"].map { AccountNetwork($0, folder: io.environment["PWD"]) }, io)
    // A name that is made up would take the place of the one that comes from other devices.
    if command.name == Command.accountNew.name {
      new.displayName = self["display-name"] ?? name
      new.decideForwardSecrecy(try forwardSecrecy())
    }
    new.slot = try await NewAccountKey(store: self["key-store"], io).slot(for: new.folder)
    try await new.make(from: account)
    await DaemonClient.open(name, io)
    let id = account.id
    guard !has("json") else {
      return CommandOutput(json: new.json(of: account))
    }
    var notes = [
      "The account \(name) is on this machine, in the network \(new.network.text).",
      new.slot.note,
      "'session account export-phrase \(name)' shows its recovery phrase: write it on paper.",
    ]
    if command.name == Command.accountNew.name {
      notes.append(
        new.hasForwardSecrecy
          ? "Forward secrecy is on. A device restored from the recovery phrase lacks messages sent this way."
          : "Forward secrecy is off: 'session security enable --account \(name)' says what it changes.")
    }
    return CommandOutput(text: id.description + "\n", notes: notes)
  }

  fileprivate func restored(_ io: CommandIO) async throws -> Account {
    if let path = self["phrase"] { return try io.account(from: path) }
    guard var typed = try await io.askSecret("The 13 words of the recovery phrase: ") else {
      throw misuse("no terminal to prompt on: give --phrase FILE or --phrase -")
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
