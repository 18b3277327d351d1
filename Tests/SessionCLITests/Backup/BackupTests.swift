import Foundation
import Testing

@testable import SessionCLI
@testable import SessionStorage

/// Unattended backups, and which of them are kept.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
  private static let day: Int64 = 86_400_000
  /// A Thursday at noon in UTC.
  private static let now: Int64 = 1_795_694_400_000

  private func folder() throws -> BackupFolder {
    BackupFolder("/nowhere", of: try AccountFolder("alice", in: StorageRoots(inside: "/nowhere")))
  }

  private func entries(_ count: Int, hasFiles: Bool, every interval: Int64) throws -> [BackupFolder.Entry] {
    let folder = try folder()
    return (0..<count).map { folder.entry(at: Self.now - Int64($0) * interval, hasFiles: hasFiles) }
  }

  @Test func asManyOfEachKindAreKeptAsThePlanSays() throws {
    var plan = BackupPlan(folder: "/nowhere")
    (plan.keepDaily, plan.keepWeekly) = (3, 2)
    let daily = try entries(5, hasFiles: false, every: Self.day)
    let weekly = try entries(4, hasFiles: true, every: 7 * Self.day)
    let surplus = BackupFolder.surplus(daily + weekly, plan, at: Self.now)
    #expect(surplus == Array(daily[3...]) + Array(weekly[2...]))
  }

  /// A file may be lost for good.
  @Test func incompleteBackupsTakeThePlaceOfNoWholeOnes() throws {
    var plan = BackupPlan(folder: "/nowhere")
    plan.keepWeekly = 2
    var weekly = try entries(5, hasFiles: true, every: 7 * Self.day)
    for index in [0, 1, 3] { weekly[index].isWhole = false }
    #expect(BackupFolder.surplus(weekly, plan, at: Self.now) == [weekly[3]])
  }

  @Test func nothingIsRemovedWhileTheClockIsBehindTheNewestBackup() throws {
    var plan = BackupPlan(folder: "/nowhere")
    plan.keepDaily = 1
    let daily = try entries(5, hasFiles: false, every: Self.day)
    #expect(BackupFolder.surplus(daily, plan, at: Self.now - 365 * Self.day) == [])
    #expect(BackupFolder.surplus(daily, plan, at: Self.now).count == 4)
  }

  @Test func filesAreIncludedOnTheirDayAndAtLeastEachWeek() throws {
    var plan = BackupPlan(folder: "/nowhere")
    let folder = try folder()
    func isDue(_ age: Int64?) -> Bool {
      let entries = age.map { [folder.entry(at: Self.now - $0, hasFiles: true)] } ?? []
      return BackupFolder.isFullDue(entries, plan, at: Self.now)
    }
    plan.weeklyFiles = "mon"
    #expect(isDue(nil) && isDue(7 * Self.day) && !isDue(5 * Self.day))
    plan.weeklyFiles = "thu"
    #expect(isDue(5 * Self.day) && !isDue(Self.day / 2))
  }

  @Test func backupsAreMadeListedVerifiedAndRemoved() async throws {
    let program = try Program.atHome()
    func ran(_ words: String...) async throws -> Program.Outcome { try await program.ran(words) }
    #expect(try await ran("account", "new", "alice").status == 0)
    #expect(try await ran("backup", "run").status == 78)
    #expect(try await ran("backup", "enable", "--to", "x", "--daily", "25:00").status == 64)
    #expect(try await ran("backup", "enable", "--to", "x", "--keep-daily", "0").status == 64)
    let disk = program.path("disk")
    let enabled = try await ran("backup", "enable", "--to", disk.path, "--keep-weekly", "1")
    #expect(
      enabled.status == 0 && enabled.messages.contains(BackupTimer.isAvailable ? "systemctl" : "30 3 * * *"))
    #expect(try await ran("doctor", "--offline").output.contains("there is none yet"))
    #expect(try await ran("backup", "run").status == 0)
    let first = try expectForms(
      inLines: try await ran("backup", "list", "--json").output, writtenBy: ["backup", "list"])
    #expect(first.map { $0["files"] as? Bool } == [true])
    let made = try #require(first.first?["path"] as? String)
    // Older ones of this account, one of somebody else, and another file.
    for year in 2020...2022 {
      let old = disk.appending(path: "alice-\(year)0101T000000Z-full.sessionarchive").path
      try FileManager.default.copyItem(atPath: made, toPath: old)
    }
    try Data("diary".utf8).write(to: disk.appending(path: "alice-20200101T000001Z-full.sessionarchive"))
    try Data("diary".utf8).write(to: disk.appending(path: "alice-2020.sessionarchive"))
    let second = try await ran("backup", "run")
    #expect(second.status == 0 && second.messages.split(separator: "\n").count == 3)
    let names = try FileManager.default.contentsOfDirectory(atPath: disk.path).filter { !$0.hasPrefix(".") }
    #expect(names.count == 4 && names.contains("alice-2020.sessionarchive"))
    #expect(names.contains("alice-20200101T000001Z-full.sessionarchive"))
    #expect(try await ran("backup", "check").status == 0)
    #expect(try await ran("backup", "status", "--json").output.contains("\"last\":"))
    #expect(try await ran("doctor", "--offline").output.contains("the last one is from"))
    // Its disk is not mounted.
    try FileManager.default.removeItem(at: disk.appending(path: ".session-backup"))
    #expect(try await ran("backup", "run").status == 75)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: disk.path).filter { !$0.hasPrefix(".") }.count == 4)
    #expect(try await ran("backup", "disable").status == 0)
    #expect(try await ran("backup", "status").status == 78)
  }

  @Test func aFailedBackupIsToldAsAnEvent() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.run("backup", "enable", "--to", home.path("disk").path)
      try await home.run("backup", "run")
      func failures() async throws -> [String?] {
        try await home.json("receive", "--all", "--since", "0").filter {
          $0["event"] as? String == "backupFailed"
        }
        .map { $0["reason"] as? String }
      }
      #expect(try await failures().isEmpty)
      try FileManager.default.removeItem(at: home.path("disk"))
      #expect(try await home.outcome(["backup", "run"]).status == 75)
      let told = try await failures()
      #expect(told.count == 1 && told[0]?.hasSuffix("is not mounted") == true)
    }
  }
}
