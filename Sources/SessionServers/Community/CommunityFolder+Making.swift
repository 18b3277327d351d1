import Glibc
import SessionBase
import SessionService

extension CommunityFolder {
  /// Makes a folder that must be empty or missing: its content is put into one beside, which then gets its name in one
  /// step. What an interrupted attempt has left is removed.
  static func make<R>(
    _ path: String, in ending: String, inUse: () -> any Error, content: (CommunityFolder) throws -> R
  ) throws -> R {
    guard try Folder.names(in: path).isEmpty else { throw inUse() }
    let work = CommunityFolder(path: "\(path).\(ending)")
    // The lock shows that no other process is filling it; it is held until the folder has its name.
    let lock = try work.lock()
    defer { withExtendedLifetime(lock) {} }
    for name in try Folder.names(in: work.path) where name != "lock" {
      try Folder.remove("\(work.path)/\(name)")
    }
    do {
      let result = try content(work)
      guard rename(work.path, path) == 0 else {
        guard ![ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) else { throw inUse() }
        throw FileError.system(.uncreatable, "cannot create", path)
      }
      try Folder.synchronize(Folder.of(path))
      return result
    } catch {
      try? Folder.remove(work.path)
      throw (error as? FileStoreFailure)?.fileError(path) ?? error
    }
  }
}
