internal import CLinux
import Glibc
import SessionBase

/// The folder of an account that is being made. No account has its name, so that no program takes it for one; it gets that
/// of the account when all of it is there.
///
/// The holder of the account's lock may use it.
public struct UnfinishedFolder: Sendable {
  /// Why an account is made.
  public enum Purpose: String, Sendable {
    /// It is new, or restored from its recovery phrase.
    case new
    /// It comes from an archive.
    case imported = "import"
  }

  private let account: AccountFolder
  public let path: String

  fileprivate init(_ account: AccountFolder, _ purpose: Purpose) {
    self.account = account
    path = "\(Folder.of(account.data))/.\(account.name).\(purpose.rawValue)"
  }

  public var database: String { "\(path)/messages.db" }
  /// The path of the key of the database.
  public var key: String { "\(path)/db.key" }

  /// True if there is something of an earlier attempt.
  public var exists: Bool { OpenFile.exists(path) }

  /// Creates the folder and those of its files, where they are missing.
  public func prepare() throws(StorageError) {
    try StorageError.files { () throws(FileError) in
      for path in [path, "\(path)/attachments", "\(path)/avatars"] { try PrivateFolder.prepare(path) }
    }
  }

  /// Deletes what an earlier attempt left: the key first.
  public func remove() throws(StorageError) {
    guard exists else { return }
    try StorageError.files { () throws(FileError) in
      for path in [key, path] { try Folder.remove(path) }
    }
  }

  /// Makes it the folder of the account. `duplicate` if there is one meanwhile.
  public func adopt() throws(StorageError) {
    try rename(to: account.data)
    try account.prepare()
  }

  /// Puts it in the place of the account, which is kept under another name. Whenever this ends, even by force, the account
  /// is the one or the other, whole.
  public func replaceAccount(keeping old: AccountFolder) throws(StorageError) {
    try rename(to: old.data)
    guard renameat2(AT_FDCWD, old.data, AT_FDCWD, account.data, Self.exchange) == 0 else {
      throw .system("rename \(old.data)")
    }
    try StorageError.files { () throws(FileError) in try Folder.synchronize(Folder.of(account.data)) }
    try account.prepare()
  }

  /// `RENAME_EXCHANGE`, a macro that Swift does not see.
  private static let exchange: UInt32 = 1 << 1

  private func rename(to target: String) throws(StorageError) {
    let code = ExclusiveRename.rename(path, to: target)
    guard code == 0 else {
      guard code != EEXIST else {
        throw StorageError(.duplicate, "an account \(account.name) was created in the meantime")
      }
      errno = code
      throw .system("rename \(path)")
    }
    try StorageError.files { () throws(FileError) in try Folder.synchronize(Folder.of(target)) }
  }
}

extension AccountFolder {
  /// The folder of this account while it is being made.
  public func unfinished(_ purpose: UnfinishedFolder.Purpose) -> UnfinishedFolder {
    UnfinishedFolder(self, purpose)
  }

  private static let replacement = ".before-"

  /// The name under which this account is kept when an archive takes its place, with the time in UTC. Programs open it only
  /// where it is named.
  public func replaced(at now: Int64) throws(StorageError) -> AccountFolder {
    var (seconds, time) = (time_t(now / 1000), tm())
    gmtime_r(&seconds, &time)
    let parts = [time.tm_year + 1900, time.tm_mon + 1, time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec]
    let digits = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }
    let stamp = digits[..<3].joined() + "T" + digits[3...].joined() + "Z"
    let room = Self.nameLimit - Self.replacement.utf8.count - stamp.utf8.count
    return try AccountFolder("\(name.prefix(room))\(Self.replacement)\(stamp)", in: roots)
  }

  /// True for an account whose place an archive took.
  public var wasReplaced: Bool {
    name.wholeMatch(of: /.+\.before-[0-9]{8}T[0-9]{6}Z/) != nil
  }
}
