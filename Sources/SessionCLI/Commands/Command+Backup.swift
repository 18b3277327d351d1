import FoundationEssentials
import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

extension Command {
  static let backupEnable = Command(
    name: "backup enable",
    summary: "set up daily backups of an account",
    discussion: """
      'backup run' writes an archive of the account into the folder, verifies it and removes old ones: daily without files,
      weekly with files. Archives open with the recovery phrase of the account, and with a passphrase if you give a file with
      one. This command writes a timer for the systemd user manager, or prints a line for cron. The folder may be on a disk
      that is not always mounted: nothing is written to its empty mount point.
      """,
    options: [
      .init(name: "to", value: "DIR", summary: "the folder of the archives", isRequired: true),
      .init(name: "daily", value: "HH:MM", summary: "the time of the day; 03:30 by default"),
      .init(
        name: "weekly-files", value: "DAY",
        summary: "the day on which files are included: sun (the default), mon, tue, wed, thu, fri or sat"),
      .init(name: "keep-daily", value: "N", summary: "archives without files to keep; 7 by default"),
      .init(name: "keep-weekly", value: "N", summary: "archives with files to keep; 4 by default"),
      .init(
        name: "passphrase-file", value: "FILE",
        summary: "a passphrase that opens the archives, too: the first line of this file, read at each run"),
      .account,
    ],
    examples: [
      .init(line: "session backup enable --to /media/backup/session", summary: "back up to another disk")
    ],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    let plan = try invocation.backupPlan(io)
    if let path = plan.passphraseFile { _ = try io.readSecret(path, upTo: InputLimits.passphrase) }
    try BackupFolder(plan.folder, of: account).prepare()
    try plan.keep(for: account, in: book.roots)
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let timer = BackupTimer(
      account: account, plan: plan, program: program, environment: io.environment)
    guard BackupTimer.isAvailable, let units = BackupTimer.units(io.environment) else {
      return CommandOutput(notes: ["Add this line to your crontab ('crontab -e'):", timer.crontab])
    }
    return CommandOutput(notes: try timer.install(in: units))
  }

  static let backupRun = Command(
    name: "backup run",
    summary: "back up an account now, as 'backup enable' set it up",
    discussion: """
      The archive has all messages, and files if their day has come or the last archive with files is a week old. Old
      archives are removed only after the new one was verified, and only if it is complete. Exit code 75 means that the disk
      is not mounted or another backup is running. A failure is also told as the event backupFailed.
      """,
    options: [.account, .json],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    let run = BackupRun(
      book: book, account: account, plan: try BackupPlan.required(for: account, in: book.roots, io), io: io)
    do {
      return try await cancelledBySignals {
        let outcome = try await run.run()
        var output = outcome.summary.output(asJSON: invocation.has("json"))
        output.notes = outcome.removed.map { "Removed \($0)." }
        return output
      }
    } catch {
      // No one watches a timer. Where the account cannot be changed, the exit code is all there is.
      let failure = CommandFailure(error)
      if failure.status != .interrupted {
        var quiet = io
        // Who was asked for a passphrase is not asked again.
        quiet.askSecret = { _ in nil }
        try? await invocation.editing(quiet) { messenger in
          try await messenger.tellBackupFailed(failure.message)
        }
      }
      throw error
    }
  }

  static let backupList = Command(
    name: "backup list",
    summary: "list the backups of an account",
    options: [.account, .json],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    let folder = try BackupFolder(
      BackupPlan.required(for: account, in: book.roots, io).folder, of: account)
    try folder.require()
    let entries = try folder.entries()
    guard !invocation.has("json") else { return CommandOutput(lines: entries.map { $0.json(in: folder) }) }
    guard !entries.isEmpty else { return CommandOutput(notes: ["No backups yet."]) }
    var table = TextTable(head: ["date", "files", "size", "name"])
    table.rows = entries.map { entry in
      [
        LocalTime.text(entry.at), entry.hasFiles ? "yes" : "no", ByteCount.text(entry.bytes(in: folder)),
        entry.name,
      ]
    }
    return CommandOutput(data: table.parts)
  }

  static let backupStatus = Command(
    name: "backup status",
    summary: "show how an account is backed up, and when it was last",
    options: [.account, .json],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    let plan = try BackupPlan.required(for: account, in: book.roots, io)
    let last = try? BackupFolder(plan.folder, of: account).entries().first
    guard !invocation.has("json") else {
      var object: JSONObject = [
        "type": .string("backup-status"), "folder": .string(plan.folder), "daily": .string(plan.daily),
        "weekly_files": .string(plan.weeklyFiles), "keep_daily": .integer(UInt64(plan.keepDaily)),
        "keep_weekly": .integer(UInt64(plan.keepWeekly)),
      ]
      object["last"] = last.map { .time($0.at) }
      return CommandOutput(json: object)
    }
    return CommandOutput(fields: [
      ("folder", .text(DisplayText.line(plan.folder))),
      ("daily", .text("\(plan.daily), \(plan.keepDaily) are kept")),
      ("with files", .text("on \(plan.weeklyFiles), \(plan.keepWeekly) are kept")),
      ("last", .text(last.map { LocalTime.text($0.at) } ?? "none")),
    ])
  }

  static let backupCheck = Command(
    name: "backup check",
    summary: "verify the newest backups of an account",
    options: [
      .init(name: "newest", value: "N", summary: "how many; 1 by default"), .account, .json,
    ],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    let plan = try BackupPlan.required(for: account, in: book.roots, io)
    let count = try invocation.count("newest", in: 1...1000) ?? 1
    let folder = BackupFolder(plan.folder, of: account)
    try folder.require()
    let entries = try folder.entries().prefix(count)
    guard !entries.isEmpty else {
      throw CommandFailure.data("there are no backups yet", advice: "Run: session backup run")
    }
    let opening = try await AccountKey(io: io).needed(for: account)
    let secret = ArchiveSecret.account(
      try Account(try await Messenger.recoveryPhrase(of: account, secret: opening)))
    return try await cancelledBySignals {
      var output = CommandOutput()
      for entry in entries {
        let file = ArchiveFileReader(path: folder.path(of: entry))
        let reading = try await file.read(opening: [secret])
        let summary = ArchiveSummary(
          path: file.path, manifest: .init(reading.manifest), report: reading.report, bytes: file.bytes)
        let shown = summary.output(asJSON: invocation.has("json"))
        output.data += shown.data
        if shown.status != .success { output.status = shown.status }
      }
      return output
    }
  }

  static let backupDisable = Command(
    name: "backup disable",
    summary: "stop the backups of an account; the archives stay",
    options: [.account],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    BackupPlan.forget(of: account, in: book.roots)
    let notes = BackupTimer.units(io.environment).map { BackupTimer.remove(of: account, in: $0) } ?? []
    return CommandOutput(notes: notes)
  }
}

extension BackupPlan {
  /// The plan of an account. Throws if it is not backed up.
  fileprivate static func required(
    for account: AccountFolder, in roots: StorageRoots, _ io: CommandIO
  ) throws -> BackupPlan {
    guard let plan = try BackupPlan(of: account, in: roots, io) else {
      throw CommandFailure(
        status: .configuration, message: "\(account.name) is not backed up",
        advice: "To set it up, run: session backup enable --to DIR")
    }
    return plan
  }
}

extension BackupFolder.Entry {
  fileprivate func bytes(in folder: BackupFolder) -> Int64 {
    Int64(ArchiveFileReader(path: folder.path(of: self)).bytes)
  }

  fileprivate func json(in folder: BackupFolder) -> JSONObject {
    [
      "type": .string("backup"), "path": .string(folder.path(of: self)), "created": .time(at),
      "files": .boolean(hasFiles), "bytes": .integer(UInt64(clamping: bytes(in: folder))),
    ]
  }
}

extension Invocation {
  fileprivate func backupPlan(_ io: CommandIO) throws -> BackupPlan {
    func absolute(_ path: String) -> String {
      path.hasPrefix("/") ? path : (io.environment["PWD"].map { $0 + "/" } ?? "") + path
    }
    var plan = BackupPlan(folder: absolute(required("to")))
    if let daily = self["daily"] {
      guard daily.utf8.count == 5, LocalMoment.next(daily, after: 0) != nil else {
        throw misuse("--daily is a time of the day, such as 03:30")
      }
      plan.daily = daily
    }
    if let day = self["weekly-files"]?.lowercased() {
      guard BackupPlan.days.contains(day) else { throw misuse("--weekly-files is a day, such as sun") }
      plan.weeklyFiles = day
    }
    plan.keepDaily = try count("keep-daily", in: BackupPlan.kept) ?? plan.keepDaily
    plan.keepWeekly = try count("keep-weekly", in: BackupPlan.kept) ?? plan.keepWeekly
    plan.passphraseFile = self["passphrase-file"].map(absolute)
    return plan
  }

  /// The number of an option; nil if it is not given.
  func count(_ name: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw misuse("--\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
