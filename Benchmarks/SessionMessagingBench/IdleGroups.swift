import Glibc
import Measuring
import SessionCore
import SessionJobs
import SessionMessaging
import SessionNetworking
import SessionStorage

/// Measures the memory and processor time of many idle groups, in a process of its own.
enum IdleGroups {
  /// The argument that selects this process; a folder follows.
  static let argument = "--idle-groups"

  private static let count = 200
  /// Long enough for what follows the start to be done.
  private static let calming: UInt32 = 20
  /// Long enough for polls of groups in which nothing happens to be as rare as they become.
  private static let settling: UInt32 = 100
  private static let watching: UInt32 = 60
  private static let targetKilobytes = 40.0
  private static let targetShare = 0.01

  static func report(in path: String) throws {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let swarms = MemorySwarms()
    let now = try MessageTime(milliseconds: UInt64(SystemClock().now))
    // Fill the swarms first, so that their memory is not counted.
    let keys = try (0..<count).map { _ in try BenchGroups.found(by: bob, with: alice, in: swarms, at: now) }
    let messenger = try finish {
      let folder = try AccountFolder("account", in: StorageRoots(inside: path))
      let messenger = try await Messenger.create(
        alice, name: "Alice", in: folder, MessengerEnvironment(swarms: swarms))
      try await messenger.start()
      await messenger.poll()
      try await messenger.waitUntilSettled()
      return messenger
    }
    sleep(calming)
    let before = OwnProcess.privateKilobytes()
    let idle = share()
    try BenchGroups.join(keys.map(\.group), alice, in: swarms, at: now)
    try finish {
      while try await messenger.groups().count < count { await messenger.poll() }
      await messenger.poll()
      try await messenger.waitUntilSettled()
    }
    sleep(settling)
    let each = Double(OwnProcess.privateKilobytes() - before) / Double(count)
    let polls = try finish { await messenger.pollCondition().polls }
    let busy = share()
    let asked = try finish { await messenger.pollCondition().polls } - polls
    print(
      "messaging/groups \(count) idle groups: \(each.rounded(to: 1)) KiB each, target "
        + "\(targetKilobytes.rounded(to: 0)): \(judged(each <= targetKilobytes)); "
        + "\((busy * 100).rounded(to: 3)) % of a core with \(asked) polls of the account in \(watching) s, "
        + "target \((targetShare * 100).rounded(to: 0)) %: \(judged(busy <= targetShare)); "
        + "floor \((idle * 100).rounded(to: 3)) % (without a group); ratio \((busy / idle).rounded(to: 1))")
    try finish { await messenger.stop() }
  }

  /// The share of a core that this process takes for a while.
  private static func share() -> Double {
    let computed = Cost.computedSeconds
    sleep(watching)
    return (Cost.computedSeconds - computed) / Double(watching)
  }
}
