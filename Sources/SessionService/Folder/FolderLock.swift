package import SessionBase

/// What keeps a folder for one process.
package typealias FolderLock = FileLock

extension FolderLock {
  /// Makes a folder for its owner alone, where there is none.
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
