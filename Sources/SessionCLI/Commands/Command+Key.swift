import SessionBase
import SessionCore
import SessionDaemon
import SessionStorage

extension Command {
  static let keyList = Command(
    name: "key list",
    summary: "list what opens the messages on this machine",
    discussion: """
      The key of an account's database is kept in slots, and each of them opens it. The state of a slot that opens without
      a person is tested.
      """,
    options: [.account, .json],
    examples: [.init(line: "session key list", summary: "show which slots work now")],
    rpc: .beside(.admin)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let keys = DatabaseKeys(path: account.key)
    let slots = try keys.slots()
    guard !slots.isEmpty else {
      let protection = try keys.protection()
      guard protection != .none else {
        throw StorageError(.keyMissing, "there is no key file \(account.key)")
      }
      return CommandOutput(
        notes: [
          "The key file is of an earlier version: "
            + (protection == .passphrase ? "a passphrase opens it." : "it is open."),
          "'session key add recovery' lets the recovery phrase open it, too.",
        ])
    }
    let states = await WorkerQueue("session.keys").run { KeyState.all(of: slots, keys, KeyPlaces(io: io)) }
    guard !invocation.has("json") else { return CommandOutput(lines: zip(slots, states).map { $0.json($1) }) }
    var table = TextTable(head: ["slot", "kind", "place", "state"])
    table.rows = zip(slots, states).map { $0.row($1) }
    return CommandOutput(data: table.parts)
  }

  static let keyAdd = Command(
    name: "key add",
    summary: "add a way to open the messages on this machine",
    discussion: """
      KIND is open (no protection), passphrase, recovery (the recovery phrase opens the messages), credential (systemd
      hands over a key of 32 bytes), secret-service (the keyring of the desktop keeps a key) or command (a program
      prints a key: 32 bytes or 64 hexadecimal digits). The new slot is tested before the command ends. A program is
      run only if key_commands of your settings has it, where this command writes it.
      """,
    arguments: [
      .init(name: "KIND", summary: "open, passphrase, recovery, secret-service, credential or command"),
      .init(
        name: "WORD", summary: "for command: the path of the program, and its arguments", isOptional: true,
        isRepeated: true),
    ],
    options: [.keyName, .newSecret, .openingPhrase, .account],
    examples: [
      .init(line: "session key add recovery", summary: "let the recovery phrase open the messages"),
      .init(line: "session key add command /usr/bin/pass show session", summary: "keep the key in pass"),
    ],
    rpc: .secret(.secrets)
  ) { invocation, io in
    let slot = try await KeyChange(invocation, io).add(removingOthers: false)
    return CommandOutput(notes: ["Slot \(slot.id) (\(slot.kindName)) opens the messages."])
  }

  static let keyMove = Command(
    name: "key move",
    summary: "keep the key elsewhere",
    discussion: """
      Adds a slot, opens the key with it alone, and only then removes the other slots that open without a person. If it is
      interrupted, one of them works. Copies of the folder, such as backups, may still have the old key.
      """,
    arguments: [
      .init(name: "KIND", summary: "open, passphrase, secret-service, credential or command"),
      .init(
        name: "WORD", summary: "for command: the path of the program, and its arguments", isOptional: true,
        isRepeated: true),
    ],
    options: [
      .keyName, .newSecret, .openingPhrase,
      .init(name: "v1", summary: "with open: write the form that versions before the slots read"), .account,
    ],
    examples: [.init(line: "session key move passphrase", summary: "require a passphrase from now on")],
    rpc: .secret(.secrets)
  ) { invocation, io in
    let change = try await KeyChange(invocation, io)
    guard !invocation.has("v1") else {
      guard invocation.arguments[0] == KeySlot.Kind.open.rawValue else {
        throw invocation.misuse("--v1 is for 'open'")
      }
      try await change.writeOldForm()
      return CommandOutput(notes: [DatabaseKeys.openWarning])
    }
    let slot = try await change.add(removingOthers: true)
    return CommandOutput(
      notes: slot.kind == .open
        ? [DatabaseKeys.openWarning]
        : [
          "Slot \(slot.id) (\(slot.kindName)) opens the messages. Backups of the folder may still have the old key."
        ])
  }

  static let keyRemove = Command(
    name: "key remove",
    summary: "remove a way to open the messages on this machine",
    arguments: [.init(name: "SLOT", summary: "a kind, or the number of a slot in 'key list'")],
    options: [
      .init(name: "yes", summary: "also if only the recovery phrase is left, or is removed"), .account,
    ],
    examples: [.init(line: "session key remove 2", summary: "remove the second slot")],
    rpc: .secret(.secrets)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let removed = try await KeyRemoval(invocation, account, io).run()
    return CommandOutput(notes: [
      "Removed: \(removed.map { "slot \($0.id) (\($0.kindName))" }.joined(separator: ", "))."
    ])
  }

  static let keyTest = Command(
    name: "key test",
    summary: "test what opens the messages on this machine",
    discussion:
      "Each slot is opened alone. A passphrase and a recovery phrase are prompted for where SLOT names one.",
    arguments: [
      .init(
        name: "SLOT", summary: "the number of a slot; all that need no person if omitted", isOptional: true)
    ],
    options: [.account, .json],
    examples: [.init(line: "session key test", summary: "test all slots that open without a person")],
    rpc: .secret(.admin)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    return try await KeyTest(account, io).run(invocation.arguments.first, isJSON: invocation.has("json"))
  }

  static let keyForget = Command(
    name: "key forget",
    summary: "forget the key in the kernel and the daemon",
    discussion:
      "The next command opens the account with one of its slots. The daemon closes an account that needs a person.",
    options: [.account],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let keys = DatabaseKeys(path: account.key)
    keys.lock()
    let opening = try await WorkerQueue("session.keys").run { try KeyPlaces(io: io).working(of: keys) }
    // An open key of an earlier version has no slots.
    if opening.isEmpty, try keys.protection() != .open { try await DaemonClient.lock(account.name, io) }
    return CommandOutput(
      notes: ["Forgot the key of \(account.name)."] + (opening.isEmpty ? [] : [KeyPlaces.note(opening)]))
  }
}

extension OwnMethod {
  static let keys = [
    OwnMethod(
      name: "key.forget", summary: Command.keyForget.summary, scope: .admin, parameters: [.account],
      form: "done"
    ) { call, _, io in
      let name = try await call.account()
      let keys = DatabaseKeys(path: try AccountBook(io).account(named: name).key)
      keys.lock()
      let places = KeyPlaces(io: try io.withSettings())
      let opening = try await WorkerQueue("session.keys").run { try places.working(of: keys) }
      if opening.isEmpty, try keys.protection() != .open { try await call.change(name, .lock) }
      return .done
    }
  ]
}

extension Command.Option {
  fileprivate static let openingPhrase = Self(
    name: "phrase", value: "FILE|-",
    summary: "open the messages with the recovery phrase in a file, if nothing else does")
  fileprivate static let keyName = Self(
    name: "name", value: "NAME", summary: "for credential: its name; \(KeyPlaces.credential) by default")
  fileprivate static let newSecret = Self(
    name: "new", value: "FILE|-",
    summary: "read the new passphrase, or the key of the credential, from a file")
}
