import CBench
import Measuring
import SessionCore
import SessionEndpoint
import SessionNode

/// A client and a whole network in this process: requests over three hops.
enum ThreeHopBench {
  private static let rounds = 500
  private static let count = 200
  private static let together = 64
  private static let stores = "network/store over three hops, 64 under way"
  private static let retrieves = "network/retrieve over three hops, 64 under way"
  private static let waiting = "network/a request over three hops"

  static func run(in folder: String) throws {
    guard [stores, retrieves, waiting].contains(where: Figure.isWanted) else { return }
    let town = try finish { try await Town(folder + "/devnet") }
    if Figure.isWanted(waiting) { try measureWaiting(town) }
    Figure(name: stores, floorName: "", amount: Double(count)).run(
      ours: { try Self.many { try await town.store() } }, floor: nil)
    Figure(name: retrieves, floorName: "", amount: Double(count)).run(
      ours: { try Self.many { try await town.retrieve() } }, floor: nil)
    try finish { await town.stop() }
  }

  private struct Town: Sendable {
    let net: Devnet
    let network: Network
    let account: Account
    /// Somebody who asks without onions.
    let direct: NetworkEndpoint

    init(_ folder: String) async throws {
      var options = Devnet.Options(folder: folder)
      options.nodes = 6
      options.swarms = 2
      net = try await Devnet.start(options)
      var client = Network.Options(net.file)
      // Each request is to go by itself.
      client.gather = nil
      network = try Network(client)
      account = try Account(seed: SecretBytes.random(count: 16))
      direct = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"))
      try await network.start()
      try await store()
    }

    func stop() async {
      await network.stop()
      await direct.stop()
      await net.stop()
    }

    func store() async throws {
      let data = try SecretBytes.random(count: BenchClient.messageBytes).reveal()
      _ = try await network.send(
        Storage.Store(data, as: .account(account), in: .contacts, lifetime: .seconds(3600)))
    }

    func retrieve() async throws {
      _ = try await network.send(Storage.Retrieve(.contacts, as: .account(account), maxCount: 1))
    }

    func ask() async throws { _ = try await network.send(Storage.Info()) }

    func askDirectly() async throws {
      _ = try await direct.request("info", to: net.file.nodes[0].peer)
    }
  }

  private static func many(_ body: @escaping @Sendable () async throws -> Void) throws {
    try finish {
      try await withThrowingTaskGroup { group in
        for _ in 0..<together { group.addTask { try await body() } }
        var begun = together
        while try await group.next() != nil {
          guard begun < count else { continue }
          group.addTask { try await body() }
          begun += 1
        }
      }
    }
  }

  /// One request after the other, each beside one without onions.
  private static func measureWaiting(_ town: Town) throws {
    let (ours, floor) = try finish {
      var (ours, floor): ([Double], [Double]) = ([], [])
      for _ in 0..<rounds {
        ours.append(try await time { try await town.ask() })
        floor.append(try await time { try await town.askDirectly() })
      }
      return (ours.sorted(), floor.sorted())
    }
    let (half, most) = (ours[rounds / 2], ours[rounds * 95 / 100])
    let isMet = half <= 5 && most <= 15
    print(
      "\(waiting): p50 \(text(half)) ms, p95 \(text(most)) ms; floor p50 \(text(floor[rounds / 2])) ms,"
        + " p95 \(text(floor[rounds * 95 / 100])) ms (one without an onion);"
        + " target p50 <= 5 ms, p95 <= 15 ms: \(isMet ? "met" : "MISSED")")
  }

  private static func time(_ body: () async throws -> Void) async rethrows -> Double {
    let start = bench_seconds()
    try await body()
    return (bench_seconds() - start) * 1000
  }

  private static func text(_ milliseconds: Double) -> String { "\((milliseconds * 100).rounded() / 100)" }
}
