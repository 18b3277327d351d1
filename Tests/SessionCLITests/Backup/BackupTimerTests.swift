import SessionStorage
import Testing

@testable import SessionCLI

/// The units and the line for cron that run backups.
@Suite struct BackupTimerTests {
  private func timer(_ program: String, _ environment: [String: String] = [:]) throws -> BackupTimer {
    let account = try AccountFolder("alice", in: StorageRoots(inside: "/nowhere"))
    return BackupTimer(
      account: account, plan: BackupPlan(folder: "/backup"), program: program, environment: environment)
  }

  @Test func theFoldersOfTheUserAreThoseOfTheCommand() throws {
    let environment = [
      "XDG_DATA_HOME": "/srv/my data", "XDG_CONFIG_HOME": "relative", "XDG_STATE_HOME": "/srv/100%",
      "HOME": "/h",
    ]
    let timer = try timer("/usr/bin/session", environment)
    #expect(
      timer.service.contains(
        """
        Environment="XDG_DATA_HOME=/srv/my data"
        Environment="XDG_STATE_HOME=/srv/100%%"
        ExecStart="/usr/bin/session" backup run --account alice

        """))
    #expect(
      timer.crontab
        == #"30 3 * * * XDG_DATA_HOME='/srv/my data' XDG_STATE_HOME='/srv/100\%' /usr/bin/session "#
        + "backup run --account alice")
    #expect(!timer.service.contains("XDG_CONFIG_HOME") && !timer.service.contains("HOME=/h"))
  }

  @Test func noCharacterOfAPathIsRead() throws {
    let timer = try timer(#"/opt/a "b"\c%n$HOME'd/session"#)
    #expect(timer.service.contains(#"ExecStart="/opt/a \"b\"\\c%%n$$HOME'd/session" backup"#))
    #expect(timer.crontab.contains(#"'/opt/a "b"\c\%n$HOME'\''d/session' backup"#))
    #expect(
      try self.timer("/usr/bin/session").crontab == "30 3 * * * /usr/bin/session backup run --account alice")
  }
}
