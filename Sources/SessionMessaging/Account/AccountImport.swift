import SessionBase
public import SessionCore
public import SessionStorage

/// The import of an archive: into an account that is new on this machine, in the place of one, or into one.
public struct AccountImport: Sendable {
  /// Where the content of the archive goes.
  public enum Place: Sendable {
    /// An account that is new on this machine.
    case new
    /// The account takes the place of one of the same id, which is kept under another name.
    case replacement(keeping: AccountFolder)
    /// The account of the same id, which has this key. Messages that were deleted here come back if asked for.
    case addition(DatabaseKey, bringingBack: Bool)
  }

  /// What was taken.
  public struct Outcome: Sendable {
    /// What the archive has.
    public let report: ArchiveReport
    /// What of it was added to an account that was there.
    public let merged: ArchiveMergeReport?
  }

  private let header: ArchiveHeader
  private let manifest: ArchiveManifest
  private let account: Account
  private let folder: AccountFolder
  private let place: Place
  private let now: Int64
  /// Protects the database of an account that is made; nil for none.
  public var passphrase: SecretBytes?
  /// True if an import of the same archive that was interrupted goes on; else it begins anew.
  public var isContinuing = false

  public init(
    of header: ArchiveHeader, _ manifest: ArchiveManifest, for account: Account, into folder: AccountFolder,
    as place: Place, at now: Int64
  ) {
    self.header = header
    self.manifest = manifest
    self.account = account
    self.folder = folder
    self.place = place
    self.now = now
  }

  /// Imports the archive. Blocks its thread. Each call of `next` returns the next bytes of the archive, none at its end.
  ///
  /// The account is as it was until all of the archive was read and checked. `prepare` is called before a new one gets its
  /// name, while no other program can make or open it. Throws `accountExists` if a new account is there already.
  public func run(
    opening secrets: [ArchiveSecret], next: () throws -> [UInt8], preparing prepare: () throws -> Void
  ) throws -> Outcome {
    let lock = try AccountLock(folder, purpose: "session archive import")
    defer { withExtendedLifetime(lock) {} }
    try checkPlace()
    let unfinished = folder.unfinished(.imported)
    let key = try begin(unfinished)
    let importing = ArchiveImport(into: unfinished.path, settings: MessengerSettings.archived)
    guard !isContinuing || importing.isBegun(header.id, key: key) else { throw Self.nothingToContinue }
    let phrase = try account.recoveryPhrase().text()
    let report = try importing.run(header, manifest, key: key, opening: secrets, next: next) {
      transaction, report in
      if case .addition = place { return }
      try transaction.set(.recoveryPhrase, to: phrase)
      // A reader may have a cursor of a database that this account had before.
      try transaction.beginEventNumbers(at: now)
      try transaction.tellImport(
        of: header, manifest, rows: report.rows.reduce(0) { $0 + $1.count }, report, at: now)
    }
    guard case .addition(let own, let bringsBack) = place else {
      try adopt(unfinished, prepare)
      return Outcome(report: report, merged: nil)
    }
    let merged = try merge(unfinished, key, into: own, report, bringingBack: bringsBack)
    try unfinished.remove()
    return Outcome(report: report, merged: merged)
  }

  private static let nothingToContinue = MessengerError(
    .notAllowed, "there is no interrupted import of this archive")

  private func checkPlace() throws {
    switch place {
    case .new:
      guard !folder.exists else {
        throw MessengerError(.accountExists, "this folder already contains an account")
      }
    case .replacement, .addition:
      guard folder.exists else { throw MessengerError(.noAccount, "this folder contains no account") }
    }
  }

  /// Prepares the folder of the import, and returns the key of its database.
  private func begin(_ unfinished: UnfinishedFolder) throws -> DatabaseKey {
    guard !isContinuing || unfinished.exists else { throw Self.nothingToContinue }
    if !isContinuing { try unfinished.remove() }
    try unfinished.prepare()
    let keys = DatabaseKeys(path: unfinished.key)
    switch try keys.protection() {
    case .none: return try keys.create(recovering: account)
    case .open: return try keys.load()
    case .passphrase, .elsewhere: return try passphrase.map { try keys.unlock($0) } ?? keys.load()
    }
  }

  private func adopt(_ unfinished: UnfinishedFolder, _ prepare: () throws -> Void) throws {
    let keys = DatabaseKeys(path: unfinished.key)
    if let passphrase, try keys.protection() != .passphrase { try keys.setPassphrase(passphrase) }
    try prepare()
    // The keyring may hold the key of an earlier account of this name.
    DatabaseKeys(path: folder.key).lock()
    if case .replacement(let old) = place {
      try unfinished.replaceAccount(keeping: old)
    } else {
      try unfinished.adopt()
    }
  }

  private func merge(
    _ unfinished: UnfinishedFolder, _ key: DatabaseKey, into own: DatabaseKey, _ report: ArchiveReport,
    bringingBack: Bool
  ) throws -> ArchiveMergeReport {
    var options = DatabaseOptions()
    options.mayCreate = false
    let source = try Database.open(unfinished.database, key: key, schema: .account, options: options)
    let target = try Database.open(folder.database, key: own, schema: .account, options: options)
    let result = Result {
      let merge = ArchiveMerge(
        from: source, in: unfinished.path, into: target, in: folder.data, own: account.id.address,
        settings: MessengerSettings.archived, bringingBack: bringingBack)
      return try merge.run { transaction, merged in
        try transaction.tellImport(of: header, manifest, rows: merged.added, report, at: now)
      }
    }
    try target.close()
    try source.close()
    return try result.get()
  }
}

extension WriteTransaction {
  /// Records that an account has the content of an archive.
  fileprivate func tellImport(
    of header: ArchiveHeader, _ manifest: ArchiveManifest, rows: Int, _ report: ArchiveReport, at now: Int64
  ) throws {
    var content = MessengerEvent.Content()
    content.archive = MessengerEvent.Archive(
      id: header.id.hex, created: manifest.created, rows: rows, files: report.files,
      problems: report.problemCount)
    try appendEvent(
      MessengerEvent.Kind.accountImported.rawValue, at: now, content: content.encoded)
  }
}
