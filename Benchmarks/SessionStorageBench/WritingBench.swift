import Measuring
import SessionStorage
import StorageFloor

/// Opening an account, and writing messages into it.
final class WritingBench {
  private static let batch = 1000
  private static let singles = 100

  private let account: BenchAccount
  private let messages: [Message]
  private var addresses = Addresses()
  /// The same messages for the floor, which has a database of its own.
  private let samples: UnsafeMutablePointer<floor_message>
  private let floorPath: String

  init(in folder: String) throws {
    var talk = Talk()
    messages = talk.messages(Self.batch)
    account = try BenchAccount(folder + "/ours.db")
    try account.insertTogether(messages, into: addresses.next())
    var count = 0
    let reader = account.openFloor()
    samples = floor_take_messages(reader, 1, &count)
    floor_close(reader)
    precondition(count == messages.count)
    floorPath = folder + "/floor.db"
    try BenchAccount.open(floorPath).close()
  }

  func run() throws {
    let floor = BenchAccount.openFloor(floorPath)
    Figure(
      name: "storage/insert 1000 messages at once", floorName: "C, the same statements",
      amount: Double(Self.batch), goal: .timesFloor(1.3)
    ).run {
      try self.account.insertTogether(self.messages, into: self.addresses.next())
    } floor: {
      floor_insert_together(floor, self.samples, Self.batch)
    }
    let few = Array(messages.prefix(Self.singles))
    Figure(
      name: "storage/insert a message", floorName: "C, the same statements", amount: Double(Self.singles),
      goal: .timesFloor(1.3)
    ).run {
      try self.account.insertAlone(few, into: self.addresses.next())
    } floor: {
      floor_insert_alone(floor, self.samples, Self.singles)
    }
    floor_close(floor)
    try account.database.close()
    runOpening()
  }

  private func runOpening() {
    Figure(
      name: "storage/open and close with a raw key", floorName: "C, one connection, the same settings",
      amount: 1
    ).run {
      try BenchAccount.open(self.account.path).close()
    } floor: {
      floor_close(BenchAccount.openFloor(self.floorPath))
    }
  }
}
