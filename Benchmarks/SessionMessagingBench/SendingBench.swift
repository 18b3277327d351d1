import Measuring
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

/// From being written to being stored, in swarms that are done at once.
enum SendingBench {
  private static let count = 1000

  static func run(in folder: String) throws {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let messenger = try finish {
      let place = try AccountFolder("account", in: StorageRoots(inside: folder + "/sender"))
      let messenger = try await Messenger.create(
        alice, name: "Alice", in: place, MessengerEnvironment(swarms: MemorySwarms()))
      try await messenger.start()
      try await messenger.send("Hello", to: bob.id)
      try await messenger.waitUntilIdle()
      return messenger
    }
    let cost = try Cost.of {
      try finish {
        for number in 0..<count { try await messenger.send("message \(number)", to: bob.id) }
        try await messenger.waitUntilIdle()
      }
    }
    let states = try finish { try await messenger.messages(in: .person(bob.id), limit: 500).map(\.state) }
    precondition(states.allSatisfy { $0 == .sent }, "some messages were not sent")
    try finish { await messenger.stop() }
    print(
      "messaging/sending, written to stored with the copy: \((Double(count) / cost.elapsed).rounded(to: 0)) "
        + "messages/s; \((cost.computed * 1e6 / Double(count)).rounded(to: 0)) us of the processor each; no target"
    )
  }
}
