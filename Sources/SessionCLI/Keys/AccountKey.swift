import SessionBase
import SessionCore
import SessionStorage

/// How a command gets the key of an account: without a person if it can.
struct AccountKey: Sendable {
  let io: CommandIO

  /// What opens the account; nil where nothing is needed, or this session of the user knows the key.
  func needed(for account: AccountFolder) async throws -> KeySecret? {
    try await needed(for: account) { keys in
      try await Self.asked(for: account, keys, io)
    }
  }

  /// Likewise, without asking anybody. Throws `passphraseNeeded` if a person has to help.
  func unattended(for account: AccountFolder) async throws -> KeySecret? {
    try await needed(for: account) { _ in
      throw StorageError(.passphraseNeeded, "the account \(account.name) needs a person who unlocks it")
    }
  }

  private func needed(
    for account: AccountFolder, otherwise ask: (DatabaseKeys) async throws -> KeySecret
  ) async throws -> KeySecret? {
    let keys = DatabaseKeys(path: account.key)
    do throws(StorageError) {
      _ = try keys.load()
      return nil
    } catch {
      guard error.code == .passphraseNeeded else { throw error }
    }
    let (key, failures) = try await KeyPlaces(io: io).key(of: keys)
    if let key { return .key(key) }
    for failure in failures { io.tell(failure.message) }
    return try await ask(keys)
  }

  /// The key, if a person at a terminal unlocks the keyring of the desktop for it.
  private static func unlocked(_ keys: DatabaseKeys, _ io: CommandIO) async throws -> KeySecret? {
    guard io.messageColumns() != nil else { return nil }
    let (key, _) = try await KeyPlaces(io: io).key(of: keys, asking: true, [.secretService])
    return key.map { .key($0) }
  }

  private static func asked(
    for account: AccountFolder, _ keys: DatabaseKeys, _ io: CommandIO
  ) async throws -> KeySecret {
    if let secret = try await unlocked(keys, io) { return secret }
    guard try !keys.hasPassphrase() else {
      return .passphrase(try await AccountPassphrase(io: io).asked("Passphrase of \(account.name): "))
    }
    if let known = try io.given?.account() { return .key(try keys.unlock(recovering: known)) }
    let isRecoverable = try keys.slots().contains { $0.lock == .recovery }
    guard isRecoverable,
      var typed = try await io.askSecret("Recovery phrase of \(account.name), 13 words: ")
    else {
      throw CommandFailure(
        status: .configuration, message: "nothing opens the messages of \(account.name) now",
        advice: isRecoverable
          ? "With the recovery phrase, run: session account unlock \(account.name) --phrase FILE"
          : "'session key list' shows where the key is kept.")
    }
    defer { typed.wipe() }
    return .key(try keys.unlock(recovering: Account(RecoveryPhrase(parsing: typed))))
  }

  /// The key of an account's database.
  func key(of account: AccountFolder) async throws -> DatabaseKey {
    try await Self.key(of: account, with: try await needed(for: account))
  }

  /// The key, if no person has to help.
  func keyAtHand(of account: AccountFolder) async -> DatabaseKey? {
    do { return try await Self.key(of: account, with: try await unattended(for: account)) } catch {
      return nil
    }
  }

  /// The key, with what is needed for it.
  static func key(of account: AccountFolder, with secret: KeySecret?) async throws -> DatabaseKey {
    let keys = DatabaseKeys(path: account.key)
    let queue: WorkerQueue =
      if case .passphrase = secret { .passphrases } else { WorkerQueue("session.keys") }
    return try await queue.run {
      try secret.map { try keys.unlock($0) } ?? keys.load()
    }
  }
}
