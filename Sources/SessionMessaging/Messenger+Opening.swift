import SessionBase
public import SessionCore
import SessionJobs
public import SessionStorage

extension Messenger {
  /// Creates the folder of an account that is new on this machine: a new account, or one restored from its recovery
  /// phrase, whose contacts and conversations come with the first polls. The key of the database is stored without
  /// a passphrase, see ``SessionStorage/OpenKeyFile/warning``, until ``SessionStorage/DatabaseKeys`` protects it.
  public static func create(
    _ account: Account, name: String? = nil, in folder: AccountFolder, _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    let queue = WorkerQueue("session.messenger.opening")
    let messenger = try await queue.run {
      try folder.prepare()
      let lock = try AccountLock(folder, purpose: "session messenger")
      let keys = DatabaseKeys(path: folder.key)
      guard try keys.protection() == .none else {
        throw MessengerError(.accountExists, "this folder already contains an account")
      }
      let database = try Database.open(folder.database, key: try keys.create(), schema: .account)
      let phrase = try account.recoveryPhrase().text()
      try database.write { transaction in
        try transaction.set(.recoveryPhrase, to: phrase)
        // A reader may have a cursor of a database that this account had before.
        try transaction.beginEventNumbers(at: dependencies.clock.now)
      }
      return try Messenger(account, database, dependencies, folder: folder.data, lock: lock)
    }
    guard let name else { return messenger }
    do { try await messenger.setName(name) } catch {
      // The folder stays: it can be opened and the name set later.
      await messenger.stop()
      throw error
    }
    return messenger
  }

  /// The purpose of opening a folder.
  public enum Access: Hashable, Sendable {
    /// Everything. One program at a time.
    case working
    /// Reading stored data, also while another program uses the account. Such a messenger cannot be started, and
    /// refuses every write.
    case reading
  }

  /// Opens the folder of an account, with its passphrase if it has one. `purpose` is shown to other programs that
  /// find the account in use.
  public static func open(
    _ folder: AccountFolder, for access: Access = .working, passphrase: SecretBytes? = nil,
    purpose: String = "session messenger", _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    try await WorkerQueue("session.messenger.opening").run {
      guard folder.exists else { throw MessengerError(.noAccount, "this folder contains no account") }
      let lock = access == .working ? try AccountLock(folder, purpose: purpose) : nil
      return try open(folder, access, passphrase, dependencies, lock: lock)
    }
  }

  /// Opens the folder of an account that another program holds: this one reads the database, and the holder carries out
  /// the calls of this messenger, which need not be started.
  package static func open(
    _ folder: AccountFolder, heldBy holder: any AccountHolder, passphrase: SecretBytes? = nil,
    _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    let messenger = try await WorkerQueue("session.messenger.opening").run {
      try open(folder, .reading, passphrase, dependencies, holder: holder)
    }
    await messenger.startFollowing()
    return messenger
  }

  private static func open(
    _ folder: AccountFolder, _ access: Access, _ passphrase: SecretBytes?,
    _ dependencies: MessengerEnvironment,
    lock: AccountLock? = nil, holder: (any AccountHolder)? = nil
  ) throws -> Messenger {
    let keys = DatabaseKeys(path: folder.key)
    let key = try passphrase.map { try keys.unlock($0) } ?? keys.load()
    // Only `create` makes a database, and reading changes none.
    var options = DatabaseOptions()
    options.mayCreate = false
    if access == .reading { options.confirming = .all }
    let database = try Database.open(folder.database, key: key, schema: .account, options: options)
    guard let phrase = try database.read({ transaction in try transaction.value(of: .recoveryPhrase) })
    else {
      throw MessengerError(.noAccount, "this folder contains no account")
    }
    return try Messenger(
      Account(RecoveryPhrase(phrase)), database, dependencies, access, folder: folder.data, lock: lock,
      holder: holder)
  }
}

extension Messenger {
  /// Returns the recovery phrase of an account on this machine, from its database or any remaining copy: one replaced
  /// as damaged, or made before a migration. Nothing is written.
  public static func recoveryPhrase(
    of folder: AccountFolder, passphrase: SecretBytes? = nil
  ) async throws -> RecoveryPhrase {
    try await WorkerQueue("session.messenger.opening").run {
      guard folder.exists else { throw MessengerError(.noAccount, "this folder contains no account") }
      let keys = DatabaseKeys(path: folder.key)
      let key = try passphrase.map { try keys.unlock($0) } ?? keys.load()
      var failure: (any Error)?
      for path in folder.databaseCopies {
        do {
          if let phrase = try Database.value(of: .recoveryPhrase, in: path, key: key) {
            return try RecoveryPhrase(phrase)
          }
        } catch {
          failure = failure ?? error
        }
      }
      throw failure ?? MessengerError(.noAccount, "this folder contains no account")
    }
  }
}
