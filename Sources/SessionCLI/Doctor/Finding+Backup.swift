import SessionStorage

extension Finding {
  /// The age at which the last backup is too old, in milliseconds: three times its interval.
  private static let oldest: Int64 = 3 * 86_400_000

  /// The backups of an account; nil if none are set up.
  static func backup(
    of account: AccountFolder, in roots: StorageRoots, at now: Int64, _ io: CommandIO
  ) -> Finding? {
    do {
      guard let plan = try BackupPlan(of: account, in: roots, io) else { return nil }
      let folder = BackupFolder(plan.folder, of: account)
      try folder.require()
      guard let last = try folder.entries().first else {
        return .warning("backup", "there is none yet", advice: "Run: session backup run")
      }
      let text = "the last one is from \(LocalTime.text(last.at))"
      guard now - last.at > oldest else { return .ok("backup", text) }
      return .warning("backup", text, advice: "Check the timer, or run: session backup run")
    } catch {
      let failure = CommandFailure(error)
      return .warning("backup", failure.message, advice: failure.advice ?? "Run: session backup status")
    }
  }
}
