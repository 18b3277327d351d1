import CSQLCipher
import Glibc
import SessionBase

extension StorageError {
  /// Translates an error of SQLite. `system` is the last errno, `said` is SQLite's text, `wasOpened` is true if the
  /// key has opened the file before.
  init(engine status: Int32, system: Int32, said: String, name: String, wasOpened: Bool) {
    let (code, message) = Self.meaning(status, system, said, name, wasOpened)
    self.init(code, message, engineCode: status)
  }

  private static func meaning(
    _ status: Int32, _ system: Int32, _ said: String, _ name: String, _ wasOpened: Bool
  ) -> (Code, String) {
    switch status & 0xff {
    case SQLITE_NOTADB where wasOpened: (.corrupt, "\(name) is damaged: its first page cannot be read")
    case SQLITE_NOTADB:
      (.wrongKey, "the key does not open \(name), or the beginning of the file is damaged")
    case SQLITE_CORRUPT: (.corrupt, "\(name) is damaged: \(said)")
    case SQLITE_FULL: (.full, "the disk is full for \(name)")
    case SQLITE_READONLY: (.readOnly, "\(name) is read-only")
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      (.busy, "\(name) is in use by another process, which did not release it in time")
    case SQLITE_CANTOPEN:
      refused("open \(name), or a file that belongs to it", otherwise: .cannotOpen, reason(system, name))
    case SQLITE_IOERR where status == withoutMemory: (.noMemory, "there is not enough memory")
    case SQLITE_IOERR: refused("read or write \(name)", otherwise: .io, system)
    case SQLITE_CONSTRAINT: brokenRule(status, said)
    case SQLITE_MISMATCH: (.constraint, said)
    case SQLITE_INTERRUPT: (.interrupted, "a statement on \(name) took longer than it may")
    case SQLITE_TOOBIG: (.tooLarge, "a value is too large for \(name)")
    case SQLITE_NOMEM: (.noMemory, "there is not enough memory")
    case SQLITE_PERM, SQLITE_AUTH: (.cannotOpen, "no permission to open \(name)")
    default: (.statement, said)
    }
  }

  /// The reason why a file could not be opened. SQLite retries a failed creation without creating, and then only reports a
  /// missing file: so create it again to learn the real errno.
  private static func reason(_ system: Int32, _ name: String) -> Int32 {
    guard system == ENOENT || system == 0 else { return system }
    return FreeSpace.obstacle(in: DatabaseFile(path: name).folder)
      ?? FreeSpace.obstacle(in: FreeSpace.temporaryFolder) ?? system
  }

  private static func refused(_ what: String, otherwise: Code, _ system: Int32) -> (Code, String) {
    guard system != 0 else { return (otherwise, "cannot \(what)") }
    let error = StorageError.system(what, otherwise: otherwise, system)
    return (error.code, error.message)
  }

  private static func brokenRule(_ status: Int32, _ said: String) -> (Code, String) {
    switch status {
    case uniqueness, primaryKey, rowID: (.duplicate, said)
    case foreignKey: (.reference, said)
    default: (.constraint, said)
    }
  }
}

// SQLITE_IOERR_NOMEM and kinds of SQLITE_CONSTRAINT: macros with arithmetic in them, which Swift does not import.
private let withoutMemory = SQLITE_IOERR | 12 << 8
private let foreignKey = SQLITE_CONSTRAINT | 3 << 8
private let primaryKey = SQLITE_CONSTRAINT | 6 << 8
private let uniqueness = SQLITE_CONSTRAINT | 8 << 8
private let rowID = SQLITE_CONSTRAINT | 10 << 8
