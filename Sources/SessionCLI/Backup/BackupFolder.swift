import Glibc
import SessionBase
import SessionCore
import SessionStorage

/// The folder of backups. Archives of other accounts, and other files, may be in it.
struct BackupFolder: Sendable {
  /// An archive that `backup run` made.
  struct Entry: Hashable, Sendable {
    let name: String
    /// In milliseconds since 1970.
    let at: Int64
    let hasFiles: Bool
    /// False if it lacks something that could not be read.
    var isWhole = true
  }

  let path: String
  let account: String

  /// The file that shows that the right disk is mounted.
  private static let mark = ".session-backup"
  private static let ending = ".sessionarchive"
  private static let incomplete = "-incomplete"

  init(_ path: String, of account: AccountFolder) {
    self.path = path
    self.account = account.name
  }

  /// Makes the folder, and marks it.
  func prepare() throws {
    do throws(FileError) {
      if !OpenFile.exists(path) { try PrivateFolder.prepare(path) }
      guard !OpenFile.exists("\(path)/\(Self.mark)") else { return }
      try PendingFile.write([UInt8]().span, to: "\(path)/\(Self.mark)")
    } catch {
      throw SessionError(error)
    }
  }

  /// Throws if the folder is not there, or is an empty mount point.
  func require() throws(CommandFailure) {
    guard OpenFile.exists("\(path)/\(Self.mark)") else {
      throw CommandFailure(
        status: .temporary, message: "the disk of \(DisplayText.line(path)) is not mounted",
        advice: "Mount it, or name another folder: session backup enable --to DIR")
    }
  }

  /// Keeps other backups of any account out of the folder.
  func locked() throws -> FileLock {
    do throws(FileError) {
      return try FileLock(
        "\(path)/\(Self.mark).lock", of: "the folder of backups", purpose: "session backup run")
    } catch {
      guard error.code == .inUse else { throw SessionError(error) }
      throw CommandFailure(status: .temporary, message: error.message, advice: "Run it again later.")
    }
  }

  func path(of entry: Entry) -> String { "\(path)/\(entry.name)" }

  /// The entry of a backup that is made now.
  func entry(at now: Int64, hasFiles: Bool) -> Entry {
    let stamp = LocalTime.universal(now).filter { $0 != "-" && $0 != ":" }
    return Entry(
      name: "\(account)-\(stamp)-\(hasFiles ? "full" : "messages").sessionarchive", at: now / 1000 * 1000,
      hasFiles: hasFiles)
  }

  /// Gives a backup that lacks something a name that says so: it takes the place of no whole one. Returns its path.
  func markIncomplete(_ entry: Entry) throws(CommandFailure) -> String {
    let incomplete = path(of: entry).dropLast(Self.ending.count) + Self.incomplete + Self.ending
    guard rename(path(of: entry), String(incomplete)) == 0 else {
      throw CommandFailure(
        status: .io,
        message: "cannot rename \(DisplayText.line(entry.name)): \(String(cString: strerror(errno)))")
    }
    return String(incomplete)
  }

  /// The archives of the account, the newest first.
  func entries() throws -> [Entry] {
    let names: [String]
    do throws(FileError) { names = try Folder.names(in: path) } catch { throw SessionError(error) }
    return names.compactMap(entry).sorted { ($0.at, $0.name) > ($1.at, $1.name) }
  }

  private func entry(named name: String) -> Entry? {
    guard name.hasPrefix("\(account)-"),
      let parts = name.dropFirst(account.count + 1).wholeMatch(
        of:
          /([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z-(messages|full)(-incomplete)?\.sessionarchive/
      )
    else { return nil }
    var time = tm()
    time.tm_year = (Int32(parts.1) ?? 0) - 1900
    time.tm_mon = (Int32(parts.2) ?? 0) - 1
    time.tm_mday = Int32(parts.3) ?? 0
    time.tm_hour = Int32(parts.4) ?? 0
    time.tm_min = Int32(parts.5) ?? 0
    time.tm_sec = Int32(parts.6) ?? 0
    return Entry(
      name: name, at: Int64(timegm(&time)) * 1000, hasFiles: parts.7 == "full", isWhole: parts.8 == nil)
  }

  /// The archives that a plan does not keep; those that lack something once there is a later whole one. None, if any is from the future: then the clock is wrong.
  static func surplus(_ entries: [Entry], _ plan: BackupPlan, at now: Int64) -> [Entry] {
    guard entries.allSatisfy({ $0.at <= now }) else { return [] }
    let order = entries.sorted { $0.at > $1.at }
    let whole = order.filter(\.isWhole)
    let replaced = order.filter { entry in
      !entry.isWhole && whole.contains { $0.hasFiles == entry.hasFiles && $0.at > entry.at }
    }
    return whole.filter { !$0.hasFiles }.dropFirst(plan.keepDaily)
      + whole.filter(\.hasFiles).dropFirst(plan.keepWeekly) + replaced
  }

  /// True if the next backup has files: on their day, and where none is younger than a week.
  static func isFullDue(_ entries: [Entry], _ plan: BackupPlan, at now: Int64) -> Bool {
    let day: Int64 = 86_400_000
    // Half a day less: a timer does not fire at the same second.
    // One from the future was made with a wrong clock.
    guard let last = entries.filter({ $0.hasFiles && $0.at <= now }).map(\.at).max(),
      now - last < 7 * day - day / 2
    else {
      return true
    }
    var (seconds, today) = (time_t(now / 1000), tm())
    localtime_r(&seconds, &today)
    return BackupPlan.days[Int(today.tm_wday)] == plan.weeklyFiles && now - last > day
  }
}
