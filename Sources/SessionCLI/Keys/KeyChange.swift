import SessionBase
import SessionCore
import SessionDesktop
import SessionMessaging
import SessionStorage

/// A slot that a command adds to the key of an account.
struct KeyChange: Sendable {
  private let account: AccountFolder
  private let keys: DatabaseKeys
  private let key: DatabaseKey
  private let new: NewKeySlot
  /// The passphrase of an earlier version, which is written anew.
  private let oldPassphrase: SecretBytes?
  private let io: CommandIO

  init(_ invocation: Invocation, _ io: CommandIO) async throws {
    let (_, account) = try invocation.account(io)
    let keys = DatabaseKeys(path: account.key)
    guard let kind = KeySlot.Kind(rawValue: invocation.arguments[0]) else {
      throw invocation.misuse("'\(invocation.arguments[0])' is not a kind of slot")
    }
    try Self.check(invocation, kind, hasNew: invocation["new"] != nil || io.given?.new != nil)
    if kind == .recovery, invocation.command.name == Command.keyMove.name {
      throw invocation.misuse("the recovery phrase alone is for emergencies; use 'session key add recovery'")
    }
    // Before a place outside keeps anything for it.
    if kind == .secretService, try keys.slots().contains(where: { $0.kind == kind }) {
      throw StorageError(.duplicate, "there is already a slot \(kind.rawValue)")
    }
    if try keys.needsConversion() {
      guard kind != .passphrase else {
        throw StorageError(.passphraseSet, "\(account.name) has a passphrase already")
      }
      let passphrase = try await AccountPassphrase(io: io).asked("Passphrase of \(account.name): ")
      key = try await WorkerQueue.passphrases.run { try keys.unlock(passphrase) }
      oldPassphrase = passphrase
    } else if let known = try io.given?.account() {
      key = try keys.unlock(recovering: known)
      oldPassphrase = nil
    } else if let path = invocation["phrase"] {
      key = try keys.unlock(recovering: try io.account(from: path))
      oldPassphrase = nil
    } else {
      key = try await AccountKey(io: io).key(of: account)
      oldPassphrase = nil
    }
    (self.account, self.keys, self.io) = (account, keys, io)
    new = try await Self.slot(kind, key, invocation, account, io)
  }

  private static func check(_ invocation: Invocation, _ kind: KeySlot.Kind, hasNew: Bool) throws {
    let words = Array(invocation.arguments.dropFirst())
    if kind == .command {
      guard KeySlot.isCommand(words) else {
        throw invocation.misuse("give the path of the program, which begins with /, and up to 31 arguments")
      }
    } else if !words.isEmpty {
      throw invocation.misuse("only 'command' takes more words")
    }
    if invocation["name"] != nil, kind != .credential {
      throw invocation.misuse("--name is for 'credential'")
    }
    if hasNew, kind != .credential, kind != .passphrase {
      throw invocation.misuse("--new is for 'passphrase' and 'credential'")
    }
  }

  private static func slot(
    _ kind: KeySlot.Kind, _ key: DatabaseKey, _ invocation: Invocation, _ account: AccountFolder,
    _ io: CommandIO
  ) async throws -> NewKeySlot {
    switch kind {
    case .open: return .open
    case .passphrase:
      return .passphrase(try await AccountPassphrase(io: io).new(for: account, from: invocation["new"]))
    case .recovery:
      return .recovery(try Account(try await Messenger.recoveryPhrase(of: account, secret: .key(key))))
    case .credential:
      let name = invocation["name"] ?? KeyPlaces.credential
      guard KeyPlaces.isCredential(name) else {
        throw invocation.misuse("--name is the name of a credential, without a path")
      }
      return .kept(.credential(name: name), try credential(name, from: invocation["new"], io))
    case .command:
      let words = Array(invocation.arguments.dropFirst())
      try UserSettingsFile(try io.roots()).allow(keyCommand: words, io)
      let places = KeyPlaces(io: try io.withSettings())
      return .kept(
        .command(words),
        try await WorkerQueue("session.keys").run {
          do { return try places.printed(by: words) } catch let failure as KeyPlaceFailure {
            throw CommandFailure.data(failure.description)
          }
        })
    case .secretService:
      let item =
        try DatabaseKeys(path: account.key).keyID()?.hex ?? SecretBytes.random(count: 16).reveal().hex
      return .kept(
        .secretService(item: item), try await secretService(item, asking: io.messageColumns() != nil, io))
    }
  }

  /// The key of a credential: from a file, or else as the service manager hands it over.
  static func credential(_ name: String, from path: String?, _ io: CommandIO) throws -> SecretBytes {
    do {
      if let new = io.given?.new { return try KeyPlaces.key(in: new.reveal(), from: "the parameter new") }
      guard let path else {
        return try KeyPlaces.key(in: try KeyPlaces(io: io).credential(name), from: "the credential \(name)")
      }
      return try KeyPlaces.key(
        in: try io.readSecret(path, upTo: 256), from: path == "-" ? "standard input" : path)
    } catch let failure as KeyPlaceFailure {
      throw CommandFailure.data(
        failure.description, advice: "Give the same key that systemd-creds encrypted: --new FILE, or --new -."
      )
    }
  }

  /// A new key that the keyring of the desktop keeps. A person may be asked to unlock it.
  static func secretService(
    _ item: String, asking isAsking: Bool, _ io: CommandIO
  ) async throws -> SecretBytes {
    let wrapping = try SecretBytes.random(count: 32)
    try await WorkerQueue("session.keys").run {
      do {
        try KeyPlaces(io: io).secretService().keep(wrapping, as: item, asking: isAsking)
      } catch let failure as SecretService.Failure {
        throw CommandFailure(
          status: .unavailable, message: failure.description,
          advice: "Unlock the keyring of your desktop, or keep the key elsewhere.")
      } catch let failure as KeyPlaceFailure {
        throw CommandFailure(
          status: .unavailable, message: "the Secret Service cannot be used: \(failure)",
          advice: "Keep the key elsewhere: 'session help key add' names the kinds.")
      }
    }
    return wrapping
  }

  /// Adds the slot.
  func add(removingOthers: Bool) async throws -> KeySlot {
    try await changing {
      if let oldPassphrase {
        try await WorkerQueue.passphrases.run { try keys.convert(oldPassphrase) }
      }
      return try await queue.run {
        let slot = try keys.add(new, to: key, testing: test)
        if removingOthers {
          let others = try keys.slots().filter { $0.id != slot.id && $0.lock?.kind.isAutomatic ?? false }
          if !others.isEmpty { try keys.remove { other in others.contains { $0.id == other.id } } }
        }
        return slot
      }
    }
  }

  /// Where the new slot is made and tested: a passphrase after others, and what runs a program beside them.
  private var queue: WorkerQueue { new.kind == .passphrase ? .passphrases : WorkerQueue("session.keys") }

  func writeOldForm() async throws {
    try await changing { try await WorkerQueue("session.keys").run { try keys.writeOldForm(key) } }
  }

  /// Changes the slots, with the account closed in other programs. The daemon opens it again, also if the change fails.
  private func changing<R: Sendable>(_ change: @Sendable () async throws -> R) async throws -> R {
    let result: R
    do {
      result = try await AccountDoor.parked(account, io) {
        let lock = try await WorkerQueue("session.keys").run {
          try AccountLock(account, purpose: "changing the key")
        }
        defer { withExtendedLifetime(lock) {} }
        return try await change()
      }
    } catch {
      try? await handBack()
      throw error
    }
    try await handBack()
    return result
  }

  /// The daemon may have no way of its own to open the account.
  private func handBack() async throws { try await DaemonClient.unlock(account.name, .key(key), io) }

  /// Opens the key with the new slot alone, from a place that is read again.
  private func test(_ slot: KeySlot) throws(StorageError) -> DatabaseKey {
    let fresh = DatabaseKeys(path: account.key)
    switch new {
    case .open: return try fresh.open(slot.id, wrapping: nil)
    case .passphrase(let passphrase): return try fresh.open(slot.id, passphrase: passphrase)
    case .recovery(let account): return try fresh.open(slot.id, recovering: account)
    case .kept(.command, _), .kept(.secretService, _):
      // What the place gives counts, not what it was given.
      let settings: CommandIO
      do throws(CommandFailure) { settings = try io.withSettings() } catch {
        throw StorageError(.slotFailed, error.message)
      }
      return try KeyPlaces(io: settings).open(slot, of: fresh)
    case .kept(_, let wrapping): return try fresh.open(slot.id, wrapping: wrapping)
    }
  }
}
