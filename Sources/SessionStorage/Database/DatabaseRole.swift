import SessionBase
import Synchronization

/// The right to be the only one who does something with a database, of all processes and of this one: held until it is
/// given up, the last reference goes, or the process ends in whatever way.
public final class DatabaseRole: Sendable {
  private enum Hold {
    /// A file next to the database.
    case file(FileLock)
    /// What only this process has needs no file.
    case memory(RoleRegister, String)
  }

  private let hold: Mutex<Hold?>

  private init(_ hold: Hold) { self.hold = Mutex(hold) }

  deinit { giveUp() }

  /// Lets somebody else have it.
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

  /// Who has the role already; nil when it was free, and is taken now.
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
  /// Takes a role, whose name becomes a part of a file's. `locked`, with the purpose of the holder, when somebody has
  /// it; this does not wait.
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
