import FoundationEssentials
import SessionBase
import SessionCore
import SessionDaemon
import SessionStorage

extension Command {
  static let databaseCheck = Command(
    name: "db check",
    summary: "check an account's database for damage",
    discussion: """
      Other programs may use the account meanwhile; a large database takes longer. The command ends with 65 if the file is
      damaged, where 'session db salvage' recovers what is readable, or if rows contradict each other, which is harmless.
      """,
    options: [.account, .json],
    examples: [
      .init(
        line: "session db check && session db compact", summary: "check and compact the database once a year")
    ],
    rpc: .beside(.read)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let key = try await AccountKey(io: io).key(of: account)
    let report = try await WorkerQueue("session.database").run { try account.integrity(key) }
    var output = report.output(invocation)
    if !report.damage.isEmpty { output.notes = ["To recover it, run: session db salvage"] }
    return output
  }

  static let databaseCompact = Command(
    name: "db compact",
    summary: "reclaim disk space",
    discussion:
      "No other program may use the account meanwhile. The disk needs free space for a second copy of the database.",
    options: [.account, .json],
    examples: [.init(line: "session db compact", summary: "print the size before and after")],
    rpc: .alone(.admin)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let key = try await AccountKey(io: io).key(of: account)
    let report = try await AccountDoor.parked(account, io) {
      try await WorkerQueue("session.database").run {
        try account.withLock("compacting") { try account.withDatabase(key) { try $0.compact() } }
      }
    }
    guard !invocation.has("json") else {
      return CommandOutput(json: [
        "bytes_before": .integer(UInt64(clamping: report.bytesBefore)),
        "bytes_after": .integer(UInt64(clamping: report.bytesAfter)),
      ])
    }
    let (before, after) = (
      ByteCount.text(Int64(report.bytesBefore)), ByteCount.text(Int64(report.bytesAfter))
    )
    return CommandOutput(text: "\(before) before, \(after) now\n")
  }

  static let databasePassphrase = Command(
    name: "db passphrase",
    summary: "set, change or remove an account's passphrase",
    discussion: """
      With a passphrase, a copy of the disk does not reveal the messages. Commands prompt for it once per login session, or
      read it from the file named by SESSION_PASSPHRASE_FILE; the kernel's keyring keeps the key until you log out or run
      'session account lock'. The passphrase cannot be recovered. If it is lost, 'session account unlock --phrase' opens the
      messages with the recovery phrase, unless that slot was removed: see 'session key list'.
      """,
    arguments: [.init(name: "set|change|remove", parameter: "action", summary: "the action")],
    options: [
      .init(
        name: "new", value: "FILE|-",
        summary: "read the new passphrase from the first line of a file instead of the terminal"),
      .account,
    ],
    examples: [.init(line: "session db passphrase set", summary: "type the new passphrase at a prompt")],
    rpc: .secret(.secrets)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let change = try await PassphraseChange(invocation, account, io)
    try await AccountDoor.parked(account, io) {
      let lock = try await WorkerQueue("session.database").run {
        try AccountLock(account, purpose: "changing the passphrase")
      }
      defer { withExtendedLifetime(lock) {} }
      try await change.make()
    }
    if let new = change.new { try await DaemonClient.unlock(account.name, .passphrase(new), io) }
    return CommandOutput(notes: [try change.note()] + (try change.others()))
  }

  static let databaseSalvage = Command(
    name: "db salvage",
    summary: "recover a damaged database",
    discussion: """
      With --to, copies all readable rows into a new file, encrypted under the same key, and changes nothing else. With
      --replace, the account uses the copy from then on; the damaged database is kept with '.damaged' added to its name.
      If interrupted, the account uses one of the two. No other program may use the account meanwhile; with --replace none
      may even read it.
      """,
    options: [
      .init(name: "to", value: "FILE", summary: "write the copy to this new file"),
      .init(name: "replace", summary: "use the copy from now on"), .account, .json,
    ],
    examples: [.init(line: "session db salvage --replace", summary: "repair what 'db check' reports")],
    rpc: .alone(.admin)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let isReplacing = invocation.has("replace")
    guard isReplacing != (invocation["to"] != nil) else {
      throw invocation.misuse("give --to FILE or --replace")
    }
    let target = invocation["to"]
    if let target, FileManager.default.fileExists(atPath: target) {
      throw CommandFailure(
        status: .cannotCreate, message: "\(target) already exists", advice: "Choose another name.")
    }
    let key = try await AccountKey(io: io).key(of: account)
    let report = try await AccountDoor.parked(account, io) {
      await WorkerQueue("session.database").run { Result { try account.salvage(into: target, key) } }
    }.mapError { error -> any Error in
      guard let error = error as? StorageError, [.corrupt, .wrongKey, .notADatabase].contains(error.code)
      else {
        return error
      }
      return CommandFailure.data(
        error.message + ": nothing can be salvaged",
        advice:
          "What remains: a backup of the file, your other devices, and the recovery phrase, from which "
          + "'session account restore NAME' restores the account.")
    }.get()
    guard !invocation.has("json") else {
      return CommandOutput(json: report.json(at: target))
    }
    var output = CommandOutput(data: report.parts)
    if isReplacing { output.notes = ["The damaged database is in \(account.damagedDatabase)."] }
    return output
  }
}

/// The command `db passphrase`.
private struct PassphraseChange: Sendable {
  private enum Action {
    case set(SecretBytes, DatabaseKey)
    case change(from: SecretBytes, to: SecretBytes)
    case remove(SecretBytes)
  }

  private let keys: DatabaseKeys
  private let action: Action
  private let io: CommandIO

  init(_ invocation: Invocation, _ account: AccountFolder, _ io: CommandIO) async throws {
    keys = DatabaseKeys(path: account.key)
    self.io = io
    let passphrase = AccountPassphrase(io: io)
    let isSet = try keys.hasPassphrase()
    func new() async throws -> SecretBytes { try await passphrase.new(for: account, from: invocation["new"]) }
    func old() async throws -> SecretBytes {
      guard isSet else { throw StorageError(.passphraseNotSet, "\(account.name) has no passphrase") }
      return try await passphrase.asked("Passphrase of \(account.name): ")
    }
    switch invocation.arguments[0] {
    case "set":
      guard !isSet else { throw StorageError(.passphraseSet, "\(account.name) has a passphrase already") }
      action = .set(try await new(), try await AccountKey(io: io).key(of: account))
    case "change": action = .change(from: try await old(), to: try await new())
    case "remove":
      guard invocation["new"] == nil, io.given?.new == nil else {
        throw invocation.misuse("--new is for 'set' and 'change'")
      }
      action = .remove(try await old())
    default:
      throw invocation.misuse("'\(invocation.arguments[0])' is not set, change or remove")
    }
  }

  /// The passphrase from now on; nil if there is none.
  var new: SecretBytes? {
    switch action {
    case .set(let new, _), .change(_, let new): new
    case .remove: nil
    }
  }

  /// Makes the change. Passphrases are used on their queue, programs that print keys run on another one.
  func make() async throws {
    switch action {
    case .set(let new, let key):
      try await WorkerQueue.passphrases.run { [keys] in try keys.setPassphrase(new, knowing: key) }
    case .change(let old, let new):
      try await WorkerQueue.passphrases.run { [keys] in try keys.changePassphrase(from: old, to: new) }
    case .remove(let old):
      let working = try await WorkerQueue("session.keys").run { [keys, io] in
        try KeyPlaces(io: io).working(of: keys)
      }
      try await WorkerQueue.passphrases.run { [keys] in
        try keys.removePassphrase(old, isOpenedOtherwise: !working.isEmpty)
      }
    }
  }

  /// What opens the account without the passphrase that was set or removed.
  func others() throws -> [String] {
    if case .change = action { return [] }
    let kinds = try keys.slots().filter { $0.kind != .passphrase && $0.damage == nil }.map(\.kindName)
    return kinds.isEmpty ? [] : ["These open the messages without it: \(kinds.joined(separator: ", "))."]
  }

  func note() throws -> String {
    switch action {
    case .set: "Passphrase set. It cannot be recovered."
    case .change: "Passphrase changed."
    case .remove: try keys.protection() == .open ? DatabaseKeys.openWarning : "Passphrase removed."
    }
  }
}

extension AccountFolder {
  /// Does something while no other program works on the account.
  fileprivate func withLock<R>(_ purpose: String, _ body: () throws -> R) throws -> R {
    let lock = try AccountLock(self, purpose: purpose)
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// Does something with the database itself, which has to be there.
  func withDatabase<R>(
    _ key: DatabaseKey, confirming: DatabaseOptions.Confirmation = .none, _ body: (Database) throws -> R
  ) throws -> R {
    var options = DatabaseOptions()
    options.mayCreate = false
    options.confirming = confirming
    let database = try Database.open(self.database, key: key, schema: .account, options: options)
    let result = Result { try body(database) }
    try database.close()
    return try result.get()
  }

  /// The faults of the database, even if it cannot be opened.
  func integrity(_ key: DatabaseKey) throws -> IntegrityReport {
    do {
      return try withDatabase(key) { try $0.integrityCheck() }
    } catch let error as StorageError where [.corrupt, .notADatabase, .wrongKey].contains(error.code) {
      return IntegrityReport(damage: [error.message], problems: [])
    }
  }

  /// Saves what can be read into a file, or else puts it in the place of the database.
  fileprivate func salvage(into target: String?, _ key: DatabaseKey) throws -> SalvageReport {
    try withLock("salvaging") {
      guard let target else { return try replaceDamagedDatabase(key: key) }
      return try Database.salvage(database, into: target, key: key, schema: .account)
    }
  }
}

extension IntegrityReport {
  /// What a command that checks a database prints.
  func output(_ invocation: Invocation) -> CommandOutput {
    var output = invocation.has("json") ? CommandOutput(json: json) : CommandOutput(text: text)
    output.status = isSound ? .success : .data
    return output
  }

  private var text: String {
    guard !isSound else { return "The database is undamaged.\n" }
    return (damage.map { "damage: \($0)" } + problems.map { "problem: \($0)" })
      .map { DisplayText.line($0) + "\n" }.joined()
  }

  private var json: JSONObject {
    let findings = damage.map { ("damage", $0) } + problems.map { ("problem", $0) }
    return [
      "sound": .boolean(isSound),
      "findings": .objects(
        findings.map { JSONObject(members: [("kind", .string($0.0)), ("text", .string($0.1))]) }),
    ]
  }
}

extension SalvageReport {
  fileprivate var parts: [CommandOutput.Part] {
    let broken = tables.filter { !$0.isWhole }
    guard !broken.isEmpty else { return [.text("All \(kept) rows were recovered.\n")] }
    var table = TextTable(head: ["table", "saved", "lost", "changed"])
    table.rows = broken.map {
      [$0.name, "\($0.kept)", $0.lost.map { "\($0)" } ?? "unknown", "\($0.orphaned)"]
    }
    return [.text("\(kept) rows were recovered. These tables are incomplete:\n")] + table.parts
  }

  fileprivate func json(at path: String?) -> JSONObject {
    var object: JSONObject = [
      "type": .string("salvage"), "whole": .boolean(isWhole), "saved": .integer(UInt64(clamping: kept)),
    ]
    object["path"] = path.map { .string($0) }
    object["tables"] = .objects(
      tables.map { table in
        var object = JSONObject(members: [
          ("name", .string(table.name)), ("saved", .integer(UInt64(clamping: table.kept))),
        ])
        object["lost"] = table.lost.map { .integer(UInt64(clamping: $0)) }
        object["changed"] = .integer(UInt64(clamping: table.orphaned))
        return object
      })
    return object
  }
}
