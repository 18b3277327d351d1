import Glibc
import SessionBase

/// The folders of one account, which share nothing with those of another.
public struct AccountFolder: Hashable, Sendable {
  /// The name of the account on this machine.
  public let name: String
  let roots: StorageRoots

  /// The longest name.
  public static let nameLimit = 64

  /// Does not touch the disk. Throws `value` for a name with characters other than letters, digits, `-`, `_` and
  /// `.`, or that begins with `.` or `-`.
  public init(_ name: String, in roots: StorageRoots) throws(StorageError) {
    guard Self.isName(name) else {
      throw StorageError(
        .value,
        "invalid account name \"\(name)\": a name has up to \(Self.nameLimit) letters, digits, "
          + "and also -, _ or . after the first")
    }
    self.name = name
    self.roots = roots
  }

  public static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= nameLimit else { return false }
    func isLetter(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: false
      }
    }
    return isLetter(first) && text.utf8.allSatisfy { isLetter($0) || [0x2D, 0x2E, 0x5F].contains($0) }
  }

  private static func folder(in root: String) -> String { "\(root)/accounts" }

  public var data: String { "\(Self.folder(in: roots.data))/\(name)" }
  public var state: String { "\(Self.folder(in: roots.state))/\(name)" }
  public var cache: String { "\(Self.folder(in: roots.cache))/\(name)" }

  public var database: String { "\(data)/messages.db" }
  public var key: String { "\(data)/db.key" }
  public var attachments: String { "\(data)/attachments" }
  public var avatars: String { "\(data)/avatars" }
  public var lock: String { "\(state)/lock" }

  /// Creates the missing folders, for their owner alone.
  public func prepare() throws(StorageError) {
    try StorageError.files { () throws(FileError) in
      for path in [data, attachments, avatars, state, cache] { try PrivateFolder.prepare(path) }
    }
  }

  /// Deletes the account from this machine: the key of the database first, so that nothing can be read if this is
  /// interrupted. Throws `locked` while a program uses the account.
  public func remove() throws(StorageError) {
    let lock = try AccountLock(self, purpose: "deleting the account")
    DatabaseKeys(path: key).lock()
    for purpose in [UnfinishedFolder.Purpose.new, .imported] { try unfinished(purpose).remove() }
    try StorageError.files { () throws(FileError) in
      for path in [key, data, cache, state] { try Folder.remove(path) }
    }
    withExtendedLifetime(lock) {}
  }

  /// Deletes cached network data. No program may use the account meanwhile.
  public func forgetNetwork() throws(StorageError) {
    try StorageError.files { () throws(FileError) in
      for name in try Folder.names(in: cache) { try Folder.remove("\(cache)/\(name)") }
    }
  }

  /// True if the disk has anything of the account.
  public var exists: Bool { access(data, F_OK) == 0 }

  /// The accounts of this user, by name.
  public static func all(in roots: StorageRoots) throws(StorageError) -> [AccountFolder] {
    var accounts: [AccountFolder] = []
    let names = try StorageError.files { () throws(FileError) in
      try Folder.names(in: folder(in: roots.data))
    }
    for name in names where isName(name) {
      accounts.append(try AccountFolder(name, in: roots))
    }
    return accounts
  }
}

extension AccountFolder {
  /// The database and all copies next to it, the newest first.
  public var databaseCopies: [String] {
    [database, damagedDatabase, database + ".salvaged", BackupCopy(file: DatabaseFile(path: database)).path]
  }

  /// The path of a damaged database after its replacement.
  public var damagedDatabase: String { DatabaseFile(path: database).damaged }

  /// Copies the readable rows of a damaged database into a new one, which replaces it; the damaged one is kept next
  /// to it, with its log. Whenever this ends, even by force, one of the two is in use, whole.
  ///
  /// Throws `locked` while another process has the database open, even for reading; `duplicate` if there is an
  /// older damaged database.
  public func replaceDamagedDatabase(key: DatabaseKey) throws(StorageError) -> SalvageReport {
    let file = DatabaseFile(path: database)
    let use = try DatabaseUse(.whole, of: file)
    defer { withExtendedLifetime(use) {} }
    try file.undoReplacement()
    guard access(damagedDatabase, F_OK) != 0 else {
      throw StorageError(
        .duplicate, "there is a database in \(damagedDatabase) from an earlier salvage: move it away first")
    }
    let salvaged = DatabaseFile(path: database + ".salvaged")
    // Remove the remains of an earlier attempt.
    salvaged.remove()
    let report = try Database.salvage(database, into: salvaged.path, key: key, schema: .account)
    for step in DatabaseFile.replacement(by: salvaged.path) { try file.take(step) }
    return report
  }
}
