import Measuring
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage
import StorageFloor

/// Compares fetching the messages that waited in the swarm with only opening each and inserting its row.
enum CatchUpBench {
  /// The argument that selects a process that only catches up; a folder follows.
  static let argument = "--catch-up"

  private static let count = 10_000
  private static let targetRatio = 2.0
  private static let begun: UInt64 = 1_700_000_000_000
  private static let month = Duration.seconds(14 * 24 * 3600)

  static func run(in folder: String) throws {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let waiting = try messages(from: bob, to: alice)
    let messenger = try away(alice, bob, folder + "/alice", waiting)
    let ours = try Cost.of { try catchUp(messenger, with: bob.id) }
    try finish { await messenger.stop() }
    let floor = try floorCost(alice, bob, waiting, in: folder)
    let ratio = ours.computed / floor.computed
    print(
      "messaging/catch-up of \(count) messages: \(rate(ours.elapsed)) messages/s; "
        + "\((ours.computed * 1e6 / Double(count)).rounded(to: 1)) us of the processor each; "
        + "floor \((floor.computed * 1e6 / Double(count)).rounded(to: 1)) us (decrypt, verify, insert), "
        + "\(rate(floor.elapsed)) messages/s; "
        + "ratio \(ratio.rounded(to: 2)); target \(targetRatio.rounded(to: 1)): \(judged(ratio <= targetRatio))"
    )
  }

  /// Measures the memory of catching up, without that of the waiting messages, which are in this process too.
  static func reportMemory(in folder: String) throws {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let waiting = try messages(from: bob, to: alice)
    let messenger = try away(alice, bob, folder, waiting)
    let before = OwnProcess.privateKilobytes()
    try catchUp(messenger, with: bob.id)
    let more = OwnProcess.privateKilobytes() - before
    let size = waiting.reduce(0) { $0 + $1.data.count } / 1024
    try finish { await messenger.stop() }
    print(
      "messaging/memory of that: \(more) KiB more than before, where \(size) KiB waited; no target")
  }
}

extension CatchUpBench {
  private static func rate(_ seconds: Double) -> String { (Double(count) / seconds).rounded(to: 0) }

  private static func messages(from bob: Account, to alice: Account) throws -> [(body: String, data: [UInt8])]
  {
    try (0..<count).map { number in
      let body = "message \(number) of those that wait for somebody who was away for long"
      let message = try Message(
        .visible(VisibleMessage(body: body)), sentAt: MessageTime(milliseconds: begun + UInt64(number)))
      return (body, try bob.encode(message, for: .contact(alice.id)))
    }
  }

  /// Somebody who knows whoever wrote, and for whom all of it waits.
  private static func away(
    _ alice: Account, _ bob: Account, _ path: String, _ waiting: [(body: String, data: [UInt8])]
  ) throws -> Messenger {
    let swarms = MemorySwarms()
    let messenger = try finish {
      let folder = try AccountFolder("account", in: StorageRoots(inside: path))
      let messenger = try await Messenger.create(
        alice, name: "Alice", in: folder, MessengerEnvironment(swarms: swarms))
      try await messenger.start()
      try await messenger.send("Hello", to: bob.id)
      try await messenger.waitUntilIdle()
      await messenger.poll()
      return messenger
    }
    for message in waiting { _ = try swarms.put(message.data, to: alice.id, in: .messages, for: month) }
    return messenger
  }

  private static func catchUp(_ messenger: Messenger, with bob: SessionID) throws {
    try finish {
      while try await messenger.conversation(.person(bob))?.unreadMessages != count { await messenger.poll() }
    }
  }

  private static func floorCost(
    _ alice: Account, _ bob: Account, _ waiting: [(body: String, data: [UInt8])], in folder: String
  ) throws -> Cost {
    let account = try BenchAccount(folder + "/floor.db")
    let thread = try account.database.write { transaction in
      let thread = try transaction.obtainThread(at: bob.id.description, .contact, createdAt: 1).id
      for (number, message) in waiting.enumerated() {
        var row = InteractionRecord(
          in: thread, by: bob.id.description, .incoming, body: message.body,
          sentAt: Int64(begun) + Int64(number),
          receivedAt: Int64(begun), state: .received)
        row.serverHash = SwarmItem(message.data, for: month).hash(in: alice.id)
        try transaction.insert(row)
      }
      return thread
    }
    try account.database.close()
    let floor = BenchAccount.openFloor(folder + "/floor.db")
    var taken = 0
    let rows = floor_take_messages(floor, thread.rawValue, &taken)
    let cost = try Cost.of {
      for message in waiting { _ = try alice.decode(message.data, from: .ownSwarm) }
      floor_insert_together(floor, rows, taken)
    }
    floor_close(floor)
    precondition(taken == count, "the floor has other messages")
    return cost
  }
}
