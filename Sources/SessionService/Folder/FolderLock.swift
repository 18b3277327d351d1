package import SessionBase

/// Locks a folder for one process.
package typealias FolderLock = FileLock

extension FolderLock {
  /// Creates a folder, private to its owner, if it does not exist.
  package static func prepare(_ folder: String) throws {
    do throws(FileError) { try PrivateFolder.prepare(folder) } catch {
      throw ServiceFailure.folder(error.message)
    }
  }

  package static func take(_ folder: String, purpose: String) throws -> FolderLock {
    do throws(FileError) {
      return try FileLock(folder + "/lock", of: folder, purpose: purpose)
    } catch {
      throw error.code == .inUse ? ServiceFailure.folderInUse(folder) : .folder(error.message)
    }
  }
}
