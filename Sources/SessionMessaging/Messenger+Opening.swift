import SessionBase
public import SessionCore
import SessionJobs
public import SessionStorage

extension Messenger {
  /// Creates the folder of an account that is new on this machine, see
  /// ``make(_:name:in:protecting:hasForwardSecrecy:_:preparing:)``, and opens it.
  public static func create(
    _ account: Account, name: String? = nil, in folder: AccountFolder, _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    let lock = try await made(account, name, in: folder, .open, dependencies) {}
    return try await WorkerQueue("session.messenger.opening").run {
      try open(folder, .working, nil, dependencies, lock: lock)
    }
  }

  /// Makes the folder of an account that is new on this machine: a new account, or one restored from its recovery phrase,
  /// whose contacts and conversations come with the first polls. The folder has its name when all of it is there.
  ///
  /// `slot` protects the key of the database, which the recovery phrase opens, too; an open slot protects nothing, see
  /// ``SessionStorage/DatabaseKeys/openWarning``.
  /// `prepare` is called before the account is there for other programs, and while none can make it. Throws
  /// `accountExists` for a folder that has an account.
  public static func make(
    _ account: Account, name: String? = nil, in folder: AccountFolder, protecting slot: NewKeySlot = .open,
    hasForwardSecrecy: Bool = false, _ dependencies: MessengerEnvironment,
    preparing prepare: @escaping @Sendable () throws -> Void = {}
  ) async throws {
    let lock = try await made(
      account, name, in: folder, slot, hasForwardSecrecy: hasForwardSecrecy, dependencies, prepare)
    lock.release()
  }

  /// Makes the folder, and returns the lock of the account.
  private static func made(
    _ account: Account, _ name: String?, in folder: AccountFolder, _ slot: NewKeySlot,
    hasForwardSecrecy: Bool = false, _ dependencies: MessengerEnvironment,
    _ prepare: @escaping @Sendable () throws -> Void
  ) async throws -> AccountLock {
    let queue = WorkerQueue("session.messenger.opening")
    let unfinished = folder.unfinished(.new)
    let lock = try await queue.run {
      let lock = try AccountLock(folder, purpose: "session messenger")
      guard !folder.exists else {
        throw MessengerError(.accountExists, "this folder already contains an account")
      }
      return lock
    }
    do {
      let messenger = try await queue.run {
        try unfinished.remove()
        try unfinished.prepare()
        return try begun(account, unfinished, slot, dependencies)
      }
      do {
        if let name { try await messenger.setName(name) }
        if hasForwardSecrecy { try await messenger.enableSecurity() }
      } catch {
        await messenger.stop()
        throw error
      }
      await messenger.stop()
      try await queue.run {
        try prepare()
        // The keyring may hold the key of an earlier account of this name.
        DatabaseKeys(path: folder.key).lock()
        try unfinished.adopt()
      }
    } catch {
      await queue.run { try? unfinished.remove() }
      throw error
    }
    return lock
  }

  /// The database of a new account.
  private static func begun(
    _ account: Account, _ folder: UnfinishedFolder, _ slot: NewKeySlot, _ dependencies: MessengerEnvironment
  ) throws -> Messenger {
    let key = try DatabaseKeys(path: folder.key).create(protecting: slot, recovering: account)
    var options = DatabaseOptions()
    options.releasesMemory = true
    let database = try Database.open(folder.database, key: key, schema: .account, options: options)
    let phrase = try account.recoveryPhrase().text()
    try database.write { transaction in
      try transaction.set(.recoveryPhrase, to: phrase)
      // A reader may have a cursor of a database that this account had before.
      try transaction.beginEventNumbers(at: dependencies.clock.now)
    }
    return try Messenger(account, database, dependencies)
  }

  /// The purpose of opening a folder.
  public enum Access: Hashable, Sendable {
    /// Everything. One program at a time.
    case working
    /// Reading stored data, also while another program uses the account. Such a messenger cannot be started, and
    /// refuses every write.
    case reading
  }

  /// Opens the folder of an account, with a secret if its key needs one. `purpose` is shown to other programs that
  /// find the account in use.
  public static func open(
    _ folder: AccountFolder, for access: Access = .working, secret: KeySecret? = nil,
    purpose: String = "session messenger", _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    try await WorkerQueue("session.messenger.opening").run {
      guard folder.exists else { throw MessengerError(.noAccount, "this folder contains no account") }
      let lock = access == .working ? try AccountLock(folder, purpose: purpose) : nil
      return try open(folder, access, secret, dependencies, lock: lock)
    }
  }

  /// Opens the folder of an account that another program holds: this one reads the database, and the holder carries out
  /// the calls of this messenger, which need not be started.
  package static func open(
    _ folder: AccountFolder, heldBy holder: any AccountHolder, secret: KeySecret? = nil,
    _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    let messenger = try await WorkerQueue("session.messenger.opening").run {
      try open(folder, .reading, secret, dependencies, holder: holder)
    }
    await messenger.startFollowing()
    return messenger
  }

  private static func open(
    _ folder: AccountFolder, _ access: Access, _ secret: KeySecret?,
    _ dependencies: MessengerEnvironment,
    lock: AccountLock? = nil, holder: (any AccountHolder)? = nil
  ) throws -> Messenger {
    let keys = DatabaseKeys(path: folder.key)
    let key = try secret.map { try keys.unlock($0) } ?? keys.load()
    // Only `create` makes a database, and reading changes none.
    var options = DatabaseOptions()
    options.mayCreate = false
    options.releasesMemory = true
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
    of folder: AccountFolder, secret: KeySecret? = nil
  ) async throws -> RecoveryPhrase {
    try await WorkerQueue("session.messenger.opening").run {
      guard folder.exists else { throw MessengerError(.noAccount, "this folder contains no account") }
      let keys = DatabaseKeys(path: folder.key)
      let key = try secret.map { try keys.unlock($0) } ?? keys.load()
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
