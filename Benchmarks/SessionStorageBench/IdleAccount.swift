import Glibc
import SessionStorage

/// How much memory an account takes that is open while nothing happens. It is measured in a process of its own, which
/// did nothing before.
enum IdleAccount {
  /// What makes the program be that process; the path of the database follows.
  static let argument = "--idle-account"

  /// Starts the process, which prints the line.
  static func measure(_ path: String) {
    var arguments: [UnsafeMutablePointer<CChar>?] = [
      strdup("/proc/self/exe"), strdup(argument), strdup(path),
    ]
    arguments.append(nil)
    var process: pid_t = 0
    var status: Int32 = 0
    guard posix_spawn(&process, "/proc/self/exe", nil, nil, arguments, environ) == 0,
      waitpid(process, &status, 0) == process, status == 0
    else { fatalError("an idle account could not be measured") }
    for argument in arguments { free(argument) }
  }

  static func report(_ path: String) throws {
    let before = privateKilobytes()
    let account = try BenchAccount(path)
    let opened = privateKilobytes() - before
    // What somebody does who looks at the list of conversations, and into one.
    let counts = try account.unreadCounts()
    guard let thread = counts.first?.thread, try !account.page(of: thread, before: .end).isEmpty else {
      fatalError("the account that is measured is empty")
    }
    let used = privateKilobytes() - before
    account.database.releaseMemory()
    // The connection that writes gives its own back in its turn.
    try account.database.write { _ in }
    let idle = privateKilobytes() - before
    print(
      "storage/idle account: \(idle) KiB (opened \(opened), after reading \(used)); "
        + "\(before) of the program before; no target")
  }

  /// Memory that no other process shares.
  private static func privateKilobytes() -> Int {
    let descriptor = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    let lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("Private_Dirty:") }) else { return 0 }
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
