import CBench
import Glibc
import Measuring
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionStorage

/// Over a network of nodes in this process, on loopback.
enum DevnetBench {
  private static let rounds = 200
  private static let targetLatency = 0.1
  private static let burst = 300

  static func run(in folder: String) throws {
    let net = try finish {
      let options = Devnet.Options(folder: folder + "/net")
      return try await Devnet.start(options)
    }
    let (alice, aliceNetwork) = try device("Alice", folder + "/a", net.file)
    let (bob, bobNetwork) = try device("Bob", folder + "/b", net.file)
    if Figure.isWanted("messaging/delivery") { try deliver(alice, bob) }
    try finish {
      for messenger in [alice, bob] { await messenger.stop() }
      for network in [aliceNetwork, bobNetwork] { await network.stop() }
    }
    if Figure.isWanted("messaging/idle") {
      OwnProcess.run(IdleMessenger.argument, folder + "/b", net.networkFile)
    }
    try finish { await net.stop() }
  }

  private static func device(_ name: String, _ path: String, _ file: NetworkFile) throws -> (
    Messenger, Network
  ) {
    try finish {
      let network = try Network(Network.Options(file))
      try await network.start()
      let folder = try AccountFolder("account", in: StorageRoots(inside: path))
      let messenger = try await Messenger.create(
        .generate(), name: name, in: folder, MessengerEnvironment(swarms: NetworkSwarms(network)))
      try await messenger.start()
      return (messenger, network)
    }
  }

  /// From when a message is written until the other side is told of it.
  private static func deliver(_ alice: Messenger, _ bob: Messenger) throws {
    let times = try finish {
      var events = bob.events(for: "bench").makeAsyncIterator()
      try await alice.send("first", to: bob.id)
      try await wait(for: 1, &events)
      try await bob.acceptRequest(.person(alice.id))
      var times: [Double] = []
      for number in 0..<rounds {
        let begun = bench_seconds()
        try await alice.send("message \(number)", to: bob.id)
        try await wait(for: 1, &events)
        times.append(bench_seconds() - begun)
      }
      return times.sorted()
    }
    let (half, most) = (times.part(0.5), times.part(0.95))
    print(
      "messaging/delivery on loopback: p50 \((half * 1e3).rounded(to: 1)) ms, "
        + "p95 \((most * 1e3).rounded(to: 1)) ms; target 100 ms: \(judged(most <= targetLatency))")
    let cost = try Cost.of {
      try finish {
        var events = bob.events(for: "burst").makeAsyncIterator()
        for number in 0..<burst { try await alice.send("burst \(number)", to: bob.id) }
        try await wait(for: burst + rounds + 1, &events)
      }
    }
    print(
      "messaging/delivery of \(burst) at once: \((Double(burst) / cost.elapsed).rounded(to: 0)) messages/s "
        + "from one side to the other, twelve nodes included; no target")
  }

  private static func wait(for count: Int, _ events: inout MessengerEvents.Iterator) async throws {
    var left = count
    while left > 0, let event = try await events.next() {
      if event.kind == .messageReceived { left -= 1 }
    }
  }
}
