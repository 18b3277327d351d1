import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionStorage

extension OwnMethod {
  static let accounts = [
    accountList, accountShow, accountNew, accountRestore, accountExportPhrase, accountDelete, accountLock,
    accountSuspend, accountResume,
  ]

  private static let accountList = OwnMethod(
    name: "account.list", summary: "list the accounts that the client may use", scope: .read,
    form: "listed account", isList: true
  ) { call, _, io in
    let names = Set(await call.accounts().map(\.name))
    let accounts = try AccountBook(io).listed(io).filter { names.contains($0.name) }
    return .list(accounts.map(\.json))
  }

  private static let accountShow = OwnMethod(
    name: "account.show", summary: "show the id of an account", scope: .read, parameters: [.account],
    form: "account"
  ) { call, _, _ in
    ["id": .string(try await call.messenger().id.description)]
  }

  // MARK: - Making and deleting

  private static let making: [MethodParameter] = [
    .required("name", .text, "its name on this machine"),
    .optional("network", .text, "main, test, devnet or the path of a network file; main unless set"),
    .optional(
      "passphrase", .secret,
      "protects the messages on this machine; key_store of the settings decides if omitted"),
  ]

  private static let accountNew = OwnMethod(
    name: "account.new", summary: "create an account; it is running when the call returns", scope: .admin,
    parameters: making + [
      .optional("display_name", .text, "the name that others see; its name by default"),
      .optional(
        "forward_secrecy", .boolean,
        "true to switch on forward secrecy, which official apps do not take part in; on in private networks if omitted"
      ),
    ],
    form: "kept account"
  ) { call, arguments, io in
    let name = try arguments.requiredText("name")
    let displayName = try arguments.text("display_name") ?? name
    let isSecret = try arguments.boolean("forward_secrecy")
    return try await made(from: .generate(), call, arguments, io) { new in
      new.displayName = displayName
      new.decideForwardSecrecy(isSecret)
    }
  }

  private static let accountRestore = OwnMethod(
    name: "account.restore",
    summary: "restore an account from its recovery phrase; it is running when the call returns",
    scope: .secrets,
    parameters: making + [.required("phrase", .secret, "the 13 words of the recovery phrase")],
    form: "kept account"
  ) { call, arguments, io in
    guard let phrase = try call.secret("phrase") else { throw RPCError.wrongParameter("phrase", "given") }
    var words = phrase.reveal()
    defer { words.wipe() }
    return try await made(from: Account(RecoveryPhrase(parsing: words)), call, arguments, io) { _ in }
  }

  /// Makes an account, and returns when the server has opened it.
  private static func made(
    from account: Account, _ call: RPCCall, _ arguments: MethodArguments, _ io: CommandIO,
    preparing prepare: (inout NewAccount) -> Void
  ) async throws -> JSONObject {
    let name = try arguments.requiredText("name")
    try call.requireAccess(to: name)
    let network = try arguments.text("network").map { AccountNetwork($0, folder: nil) }
    if case .file(let path)? = network {
      try call.access.require(.admin, for: "a path in \"network\"")
      guard path.hasPrefix("/") else {
        throw RPCError.wrongParameter("network", "main, test, devnet or a path that begins with /")
      }
    }
    var new = try NewAccount(name, network: network, io)
    prepare(&new)
    let passphrase = try call.secret("passphrase")
    new.slot = try await slot(for: new.folder, passphrase, io)
    try await new.make(from: account)
    try await call.untilOpen(name, passphrase.map { .passphrase($0) })
    return new.json(of: account)
  }

  private static func slot(
    for account: AccountFolder, _ passphrase: SecretBytes?, _ io: CommandIO
  ) async throws -> NewKeySlot {
    if let passphrase { return .passphrase(passphrase) }
    let key = try NewAccountKey(store: nil, asking: false, try io.withSettings())
    guard key.store != .passphrase else {
      throw RPCError.wrongParameter("passphrase", "given: key_store of the settings is passphrase")
    }
    return try await key.slot(for: account)
  }

  private static let accountExportPhrase = OwnMethod(
    name: "account.export_phrase", summary: Command.accountExportPhrase.summary, scope: .secrets,
    parameters: [.account], form: "account"
  ) { call, _, _ in
    let messenger = try await call.messenger()
    let phrase = try messenger.recoveryPhrase()
    return [
      "id": .string(messenger.id.description),
      "recovery_phrase": .string(try phrase.text().reveal()),
    ]
  }

  private static let accountDelete = OwnMethod(
    name: "account.delete", summary: Command.accountDelete.summary, scope: .admin,
    parameters: [
      .required("name", .text, "the account"), .required("yes", .boolean, "true, to confirm the deletion"),
    ], form: "done"
  ) { call, arguments, io in
    let name = try await call.permitted(try arguments.requiredText("name"))
    guard try arguments.requiredBoolean("yes") else {
      throw RPCError.wrongParameter(
        "yes", "true: this deletes the account and all of its messages from this machine")
    }
    let book = try AccountBook(io)
    let account = try book.account(named: name)
    _ = try await call.alone(with: name) { try await book.delete(account) }
    return .done
  }

  // MARK: - Changing

  private static let accountLock = change(
    .lock, "account.lock",
    "close an account that has a passphrase; it receives nothing until it is unlocked")
  private static let accountSuspend = change(
    .suspend, "account.suspend", Command.accountSuspend.summary)
  private static let accountResume = change(.resume, "account.resume", Command.accountResume.summary)

  private static func change(_ change: AccountChange, _ name: String, _ summary: String) -> OwnMethod {
    OwnMethod(
      name: name, summary: summary, scope: .admin,
      parameters: [.required("name", .text, "the account")], form: "done"
    ) { call, arguments, _ in
      try await call.change(try arguments.requiredText("name"), change)
      return .done
    }
  }
}
