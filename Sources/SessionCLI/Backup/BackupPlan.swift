import FoundationEssentials
import SessionBase
import SessionService
import SessionStorage

/// How an account is backed up, as its file in the settings has it.
struct BackupPlan: Hashable, Sendable {
  /// The days of a week, as `localtime` counts them.
  static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// The folder of the archives.
  var folder: String
  /// The time of the day, `HH:MM`.
  var daily = "03:30"
  /// The day on which files are in the archive, too.
  var weeklyFiles = "sun"
  var keepDaily = 7
  var keepWeekly = 4
  /// A file whose first line is a passphrase that opens the archives, too.
  var passphraseFile: String?

  static let kept = 1...10_000

  static let keys: [ConfigKey] = [
    .init(name: "folder", kind: .text, summary: "the folder of the archives", isRequired: true),
    .init(name: "daily", kind: .text, summary: "the time of the day"),
    .init(
      name: "weekly_files", kind: .choice(days), summary: "the day on which files are in the archive, too"),
    .init(name: "keep_daily", kind: .integer(kept), summary: "number of archives without files to keep"),
    .init(name: "keep_weekly", kind: .integer(kept), summary: "number of archives with files to keep"),
    .init(name: "passphrase_file", kind: .text, summary: "a file with a passphrase that opens the archives"),
  ]

  init(folder: String) { self.folder = folder }

  static func path(of account: AccountFolder, in roots: StorageRoots) -> String {
    "\(roots.config)/accounts/\(account.name).backup.toml"
  }

  /// The plan of an account; nil if there is none.
  init?(of account: AccountFolder, in roots: StorageRoots, _ io: CommandIO) throws {
    guard
      let file = try Configuration.own(
        Self.path(of: account, in: roots), keys: Self.keys, topic: Topic.backups.name, io: io),
      let folder = file.text("folder")
    else { return nil }
    self.init(folder: folder)
    daily = file.text("daily") ?? daily
    weeklyFiles = file.text("weekly_files") ?? weeklyFiles
    keepDaily = file.integer("keep_daily") ?? keepDaily
    keepWeekly = file.integer("keep_weekly") ?? keepWeekly
    passphraseFile = file.text("passphrase_file")
  }

  func keep(for account: AccountFolder, in roots: StorageRoots) throws {
    var lines = [
      "# See 'session help \(Topic.backups.name)'.", "folder = \(ConfigText.source(of: .text(folder)))",
      "daily = \(ConfigText.source(of: .text(daily)))",
      "weekly_files = \(ConfigText.source(of: .text(weeklyFiles)))",
      "keep_daily = \(keepDaily)", "keep_weekly = \(keepWeekly)",
    ]
    if let passphraseFile {
      lines.append("passphrase_file = \(ConfigText.source(of: .text(passphraseFile)))")
    }
    try writeSettings(lines.joined(separator: "\n") + "\n", to: Self.path(of: account, in: roots))
  }

  /// Forgets the plan of an account; the archives stay.
  static func forget(of account: AccountFolder, in roots: StorageRoots) {
    try? FileManager.default.removeItem(atPath: path(of: account, in: roots))
  }
}
