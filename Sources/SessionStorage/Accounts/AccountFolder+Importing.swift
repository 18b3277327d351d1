internal import CLinux
import Glibc
import SessionBase

// An account that is being imported has a folder whose name no account has, so that no program takes it for one.
extension AccountFolder {
  /// The folder of an import that has not ended.
  public var importFolder: String { "\(Folder.of(data))/.\(name).import" }
  /// The key of its database.
  public var importedKey: String { "\(importFolder)/db.key" }

  /// True if there is something of an import that has not ended.
  public var hasImport: Bool { OpenFile.exists(importFolder) }

  /// Creates the folder of the lock.
  public func prepareState() throws(StorageError) {
    try StorageError.files { () throws(FileError) in try PrivateFolder.prepare(state) }
  }

  /// Creates the folder of an import, where it is missing.
  public func prepareImport() throws(StorageError) {
    try StorageError.files { () throws(FileError) in
      for path in [importFolder, "\(importFolder)/attachments", "\(importFolder)/avatars"] {
        try PrivateFolder.prepare(path)
      }
    }
  }

  /// Deletes what an import left that was interrupted.
  public func removeImport() throws(StorageError) {
    guard hasImport else { return }
    try StorageError.files { () throws(FileError) in try Folder.remove(importFolder) }
  }

  /// Makes the folder of an import that of the account. `duplicate` if there is one meanwhile.
  public func adoptImport() throws(StorageError) {
    guard renameat2(AT_FDCWD, importFolder, AT_FDCWD, data, LINUX_RENAME_NOREPLACE) == 0 else {
      guard errno != EEXIST else {
        throw StorageError(.duplicate, "an account \(name) was created in the meantime")
      }
      throw .system("rename \(importFolder)")
    }
    try StorageError.files { () throws(FileError) in try Folder.synchronize(Folder.of(data)) }
    try prepare()
  }
}
