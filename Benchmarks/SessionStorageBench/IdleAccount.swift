import Measuring
import SessionStorage

/// How much memory an account takes that is open while nothing happens, in a process of its own.
enum IdleAccount {
  /// The argument that selects this process; the path of the database follows.
  static let argument = "--idle-account"

  static func report(_ path: String) throws {
    let before = OwnProcess.privateKilobytes()
    let account = try BenchAccount(path)
    let opened = OwnProcess.privateKilobytes() - before
    // Read the list of conversations, and one of them, as a person would.
    let counts = try account.unreadCounts()
    guard let thread = counts.first?.thread, try !account.page(of: thread, before: .end).isEmpty else {
      fatalError("the account that is measured is empty")
    }
    let used = OwnProcess.privateKilobytes() - before
    account.database.releaseMemory()
    // The connection that writes gives its own back in its turn.
    try account.database.write { _ in }
    let idle = OwnProcess.privateKilobytes() - before
    print(
      "storage/idle account: \(idle) KiB (opened \(opened), after reading \(used)); "
        + "\(before) of the program before; no target")
  }
}
