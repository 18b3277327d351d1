import Glibc
import SessionBase
import SessionStorage

/// What runs the backups of an account: a timer of the systemd user manager, or a line for cron.
struct BackupTimer: Sendable {
  let account: AccountFolder
  let plan: BackupPlan
  let program: String
  /// The environment of the command that set it up.
  let environment: [String: String]

  /// What decides where accounts are, and is not the usual place.
  private static let roots = ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]

  private var variables: [(name: String, value: String)] {
    Self.roots.compactMap { name in
      environment[name].flatMap { $0.hasPrefix("/") && !$0.utf8.contains(10) ? (name, $0) : nil }
    }
  }

  /// A value in a unit: systemd replaces what follows % and $, and reads quotes and backslashes.
  private static func unit(_ text: String, isCommand: Bool = false) -> String {
    var quoted = ""
    for character in text {
      switch character {
      case "\\", "\"": quoted += "\\\(character)"
      case "%": quoted += "%%"
      case "$" where isCommand: quoted += "$$"
      default: quoted.append(character)
      }
    }
    return "\"\(quoted)\""
  }

  /// A word of a command in a crontab, where % ends the command.
  private static func cron(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+:@,".utf8.contains(byte)
      }
    }
    guard !isPlain else { return text }
    return "'" + text.replacing("'", with: "'\\''").replacing("%", with: "\\%") + "'"
  }

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
    \(variables.map { "Environment=\(Self.unit("\($0.name)=\($0.value)"))\n" }.joined())\
    ExecStart=\(Self.unit(program, isCommand: true)) backup run --account \(account.name)
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
    let command =
      variables.map { "\($0.name)=\(Self.cron($0.value)) " }.joined() + Self.cron(program)
    return "\(parts[1]) \(parts[0]) * * * \(command) backup run --account \(account.name)"
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
