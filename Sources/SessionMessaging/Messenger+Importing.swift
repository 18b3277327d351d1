import SessionBase
public import SessionCore
public import SessionStorage

extension Messenger {
  /// Makes the folder of an account that is new on this machine from an archive. Blocks its thread.
  ///
  /// The folder has its name when all of it is there. With `isContinuing`, an import of the same archive that was
  /// interrupted goes on; else it begins anew. Each call of `next` returns the next bytes of the archive, none at its end.
  /// Throws `accountExists` for a folder that has an account.
  public static func importArchive(
    _ header: ArchiveHeader, _ manifest: ArchiveManifest, of account: Account, into folder: AccountFolder,
    opening secrets: [ArchiveSecret], continuing isContinuing: Bool, next: () throws -> [UInt8]
  ) throws -> ArchiveReport {
    try folder.prepareState()
    let lock = try AccountLock(folder, purpose: "session archive import")
    defer { withExtendedLifetime(lock) {} }
    guard !folder.exists else {
      throw MessengerError(.accountExists, "this folder already contains an account")
    }
    guard !isContinuing || folder.hasImport else {
      throw MessengerError(.notAllowed, "there is no interrupted import of this archive")
    }
    if !isContinuing { try folder.removeImport() }
    try folder.prepareImport()
    let keys = DatabaseKeys(path: folder.importedKey)
    let key = try keys.protection() == .none ? keys.create() : keys.load()
    let importing = ArchiveImport(into: folder.importFolder, settings: MessengerSettings.archived)
    if isContinuing, !importing.isBegun(header.id, key: key) {
      throw MessengerError(.notAllowed, "there is no interrupted import of this archive")
    }
    let phrase = try account.recoveryPhrase().text()
    let report = try importing.run(header, manifest, key: key, opening: secrets, next: next) {
      (transaction) throws(StorageError) in try transaction.set(.recoveryPhrase, to: phrase)
    }
    try folder.adoptImport()
    return report
  }
}
