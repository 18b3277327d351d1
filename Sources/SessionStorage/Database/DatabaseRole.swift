import SessionBase
import Synchronization

/// An exclusive role for a database across all processes, held until it is given up, the last reference goes, or
/// the process ends.
public final class DatabaseRole: Sendable {
  private enum Hold {
    /// A file next to the database.
    case file(FileLock)
    /// A role within this process needs no file.
    case memory(RoleRegister, String)
  }

  private let hold: Mutex<Hold?>

  private init(_ hold: Hold) { self.hold = Mutex(hold) }

  deinit { giveUp() }

  /// Releases the role.
  public func giveUp() {
    guard case .memory(let register, let name) = hold.withLock({ $0.take() }) else { return }
    register.remove(name)
  }

  fileprivate static func file(_ lock: FileLock) -> DatabaseRole { DatabaseRole(.file(lock)) }

  fileprivate static func memory(_ register: RoleRegister, _ name: String) -> DatabaseRole {
    DatabaseRole(.memory(register, name))
  }
}

/// Which roles of a database in memory are taken.
final class RoleRegister: Sendable {
  private let taken = Mutex<[String: String]>([:])

  /// The purpose of the current holder; nil if the role was free, and is now taken.
  fileprivate func insert(_ name: String, purpose: String) -> String? {
    taken.withLock { taken in
      if let holder = taken[name] { return holder }
      taken[name] = purpose
      return nil
    }
  }

  fileprivate func remove(_ name: String) { taken.withLock { $0[name] = nil } }
}

extension Database {
  /// Takes a role, whose name becomes part of a file name. Throws `locked`, with the purpose of the holder, if it
  /// is taken; does not wait.
  public func takeRole(_ name: String, purpose: String) throws(StorageError) -> DatabaseRole {
    if let path {
      return try StorageError.files { () throws(FileError) in
        .file(try FileLock("\(path).\(name)", of: "\(name) of \(path)", purpose: purpose))
      }
    }
    if let holder = roles.insert(name, purpose: purpose) {
      throw StorageError(.locked, "\(name) of the database in memory is in use by \(holder)")
    }
    return .memory(roles, name)
  }
}
