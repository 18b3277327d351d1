import Glibc
import SessionBase
import SessionStorage

/// What runs the backups of an account: a timer of the systemd user manager, or a line for cron.
struct BackupTimer: Sendable {
  let account: AccountFolder
  let plan: BackupPlan
  let program: String

  private var name: String { "session-backup@\(account.name)" }

  /// The folder of the units of a user.
  static func units(_ environment: [String: String]) -> String? {
    if let root = environment["XDG_CONFIG_HOME"], root.hasPrefix("/") { return "\(root)/systemd/user" }
    return environment["HOME"].map { "\($0)/.config/systemd/user" }
  }

  /// True if systemd runs this machine.
  static var isAvailable: Bool { access("/run/systemd/system", F_OK) == 0 }

  var service: String {
    """
    # Written by 'session backup enable'.
    [Unit]
    Description=Backup of the Session account \(account.name)
    Documentation=man:session-backup-run(1)

    [Service]
    Type=oneshot
    ExecStart="\(program)" backup run --account \(account.name)
    Nice=15
    IOSchedulingClass=idle
    UMask=0077
    LimitCORE=0
    NoNewPrivileges=yes

    """
  }

  var timer: String {
    """
    # Written by 'session backup enable'.
    [Unit]
    Description=Daily backup of the Session account \(account.name)
    Documentation=man:session-backup-enable(1)

    [Timer]
    OnCalendar=*-*-* \(plan.daily)
    RandomizedDelaySec=20min
    Persistent=true

    [Install]
    WantedBy=timers.target

    """
  }

  var crontab: String {
    let parts = plan.daily.split(separator: ":").map { Int($0) ?? 0 }
    return "\(parts[1]) \(parts[0]) * * * \(program) backup run --account \(account.name)"
  }

  /// Writes the units, and returns what is left to do.
  func install(in folder: String) throws -> [String] {
    try writeSettings(service, to: "\(folder)/\(name).service")
    try writeSettings(timer, to: "\(folder)/\(name).timer")
    return [
      "To start the timer, run: systemctl --user daemon-reload && systemctl --user enable --now \(name).timer"
    ]
  }

  /// Removes the units, and returns what is left to do.
  static func remove(of account: AccountFolder, in folder: String) -> [String] {
    let path = "\(folder)/session-backup@\(account.name)"
    guard unlink("\(path).timer") == 0 else { return [] }
    unlink("\(path).service")
    return ["To stop the timer, run: systemctl --user disable --now session-backup@\(account.name).timer"]
  }
}
