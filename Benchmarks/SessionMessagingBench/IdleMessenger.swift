import Glibc
import Measuring
import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

/// Measures the memory and processor time of an idle account, in a process of its own.
enum IdleMessenger {
  /// The argument that selects this process; the account's folder and the file of the network follow.
  static let argument = "--idle-messenger"

  /// Long enough for what follows the start to be done.
  private static let calming: UInt32 = 20
  private static let watching: UInt32 = 60
  private static let targetKilobytes = 25 * 1024
  private static let targetShare = 0.002

  static func report(_ path: String, _ networkFile: String) throws {
    let before = OwnProcess.privateKilobytes()
    let messenger = try finish {
      let file = try NetworkFile(parsing: try OpenFile(reading: networkFile).readAll(upTo: 1 << 24))
      let network = try Network(Network.Options(file))
      try await network.start()
      let folder = try AccountFolder("account", in: StorageRoots(inside: path))
      let messenger = try await Messenger.open(folder, MessengerEnvironment(swarms: NetworkSwarms(network)))
      try await messenger.start()
      await messenger.poll()
      return messenger
    }
    sleep(calming)
    let isTold = try finish { await messenger.notifier() != nil }
    let polls = try finish { await messenger.pollCondition().polls }
    let computed = Cost.computedSeconds
    sleep(watching)
    let share = (Cost.computedSeconds - computed) / Double(watching)
    let asked = try finish { await messenger.pollCondition().polls } - polls
    let kilobytes = OwnProcess.privateKilobytes()
    print(
      "messaging/idle account\(isTold ? ", told of what is new" : ""): \(kilobytes) KiB (\(before) of the program "
        + "before), target \(targetKilobytes): \(judged(kilobytes <= targetKilobytes)); "
        + "\((share * 100).rounded(to: 3)) % of a core with \(asked) polls in \(watching) s, target 0.2 %: "
        + judged(share <= targetShare))
    try finish { await messenger.stop() }
  }
}
