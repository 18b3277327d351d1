import Measuring
import SessionCore
import SessionJobs
import SessionMessaging
import SessionNetworking
import SessionStorage

/// The same number of messages in one group and in many: each has a swarm, configs and cursors of its own.
enum GroupCatchUpBench {
  private static let count = 10_000
  private static let many = 200
  private static let targetRatio = 1.1
  private static let targetRate = 2000.0
  private static let month = Duration.seconds(14 * 24 * 3600)
  private static let rounds = 3

  static func run(in folder: String) throws {
    var (one, all): ([Double], [Double]) = ([], [])
    var (rate, oneRate) = (0.0, 0.0)
    for round in 0..<rounds {
      let single = try cost(of: 1, in: "\(folder)/one-\(round)")
      one.append(single.computed)
      oneRate = max(oneRate, Double(count) / single.elapsed)
      let cost = try cost(of: many, in: "\(folder)/many-\(round)")
      all.append(cost.computed)
      rate = max(rate, Double(count) / cost.elapsed)
    }
    let (floor, ours) = (one.min() ?? 0, all.min() ?? 0)
    let ratio = ours / floor
    print(
      "messaging/groups catch-up of \(count) messages in \(many) groups: \(rate.rounded(to: 0)) messages/s; "
        + "\((ours * 1e6 / Double(count)).rounded(to: 1)) us of the processor each; "
        + "floor \((floor * 1e6 / Double(count)).rounded(to: 1)) us (the same in one group); "
        + "ratio \(ratio.rounded(to: 2)); target \(targetRatio.rounded(to: 1)): \(judged(ratio <= targetRatio))"
    )
    let opening = try openingCost()
    print(
      "messaging/groups catch-up of \(count) messages in one group: \(oneRate.rounded(to: 0)) messages/s, target "
        + "\(targetRate.rounded(to: 0)): \(judged(oneRate >= targetRate)); "
        + "\((floor * 1e6 / Double(count)).rounded(to: 1)) us of the processor each; "
        + "floor \((opening * 1e6 / Double(count)).rounded(to: 1)) us (decrypt, verify); "
        + "ratio \((floor / opening).rounded(to: 2)); no target"
    )
  }

  /// Measures the cost of opening all messages of one group.
  private static func openingCost() throws -> Double {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let now = try MessageTime(milliseconds: UInt64(SystemClock().now))
    let (group, key) = try BenchGroups.found(by: bob, with: alice, in: MemorySwarms(), at: now)
    let messages = try (0..<count).map { number in
      try bob.encode(try message(number, at: now), for: .group(group.group, key: key))
    }
    return try Cost.of {
      for message in messages { _ = try alice.decode(message, from: .group(group.group, keys: [key])) }
    }.computed
  }

  private static func message(_ number: Int, at now: MessageTime) throws -> Message {
    try Message(
      .visible(
        VisibleMessage(body: "message \(number) of those that wait for somebody who was away for long")),
      sentAt: MessageTime(milliseconds: now.milliseconds + UInt64(number)))
  }

  /// Measures the cost of catching up with all messages in a number of groups.
  private static func cost(of groups: Int, in path: String) throws -> Cost {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let swarms = MemorySwarms()
    let now = try MessageTime(milliseconds: UInt64(SystemClock().now))
    let keys = try (0..<groups).map { _ in try BenchGroups.found(by: bob, with: alice, in: swarms, at: now) }
    try BenchGroups.join(keys.map(\.group), alice, in: swarms, at: now)
    let messenger = try finish {
      let folder = try AccountFolder("account", in: StorageRoots(inside: path))
      let messenger = try await Messenger.create(
        alice, name: "Alice", in: folder, MessengerEnvironment(swarms: swarms))
      try await messenger.start()
      while try await messenger.conversations().count < groups { await messenger.poll() }
      await messenger.poll()
      try await messenger.waitUntilIdle()
      return messenger
    }
    for number in 0..<count {
      let (group, key) = keys[number % groups]
      let data = try bob.encode(try message(number, at: now), for: .group(group.group, key: key))
      _ = try swarms.put(data, to: group.group, in: .groupMessages, for: month)
    }
    let cost = try Cost.of {
      try finish {
        while try await messenger.conversations().reduce(0, { $0 + $1.unreadMessages }) != count {
          await messenger.poll()
        }
      }
    }
    try finish { await messenger.stop() }
    return cost
  }
}
