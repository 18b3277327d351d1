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
  private static let month = Duration.seconds(14 * 24 * 3600)
  private static let rounds = 3

  static func run(in folder: String) throws {
    var (one, all): ([Double], [Double]) = ([], [])
    var rate = 0.0
    for round in 0..<rounds {
      one.append(try cost(of: 1, in: "\(folder)/one-\(round)").computed)
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
  }

  /// What it costs to catch up with all messages, in as many groups.
  private static func cost(of groups: Int, in path: String) throws -> Cost {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let swarms = MemorySwarms()
    let now = try MessageTime(milliseconds: UInt64(SystemClock().now))
    let keys = try (0..<groups).map { _ in try found(by: bob, with: alice, in: swarms, at: now) }
    try join(keys.map(\.group), alice, in: swarms, at: now)
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
      let message = try Message(
        .visible(
          VisibleMessage(body: "message \(number) of those that wait for somebody who was away for long")),
        sentAt: MessageTime(milliseconds: now.milliseconds + UInt64(number)))
      let data = try bob.encode(message, for: .group(group.group, key: key))
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

  /// A group with its configs in its swarm. Returns the key of its admin, and that of its messages.
  private static func found(
    by admin: Account, with member: Account, in swarms: MemorySwarms, at now: MessageTime
  ) throws -> (group: GroupAdminKey, key: SecretBytes) {
    let key = try GroupAdminKey(seed: SecretBytes(copying: (0..<32).map { _ in UInt8.random(in: 0...255) }))
    let store = try ConfigStore(admin)
    try store.edit { configs in
      try configs.openGroup(key.group, adminSeed: key.seed)
      try configs.withGroup(key.group) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = "Group" }
        for id in [admin.id, member.id] { try group.updateMember(id) { $0.note(.inviteAccepted) } }
        try group.rekey()
      }
    }
    for push in store.pendingPushes(in: key.group, at: now)?.pushes ?? [] {
      for message in push.messages {
        _ = try swarms.put(message, to: key.group, in: push.namespace, for: month)
      }
      guard push.name.kind == .groupKeys else { continue }
      // A key is in use once its message was retrieved.
      let retrieved = push.messages.map { ConfigMessage(hash: "key", stored: $0, storedAt: now) }
      _ = try store.merge(retrieved, into: push.name, at: now)
    }
    let newest = try store.read { configs in
      try configs.readGroup(key.group) { (group) throws(SessionError) in try group.messageKeys().first }
    }
    guard let newest else { preconditionFailure("a group that has its key has one") }
    return (key, newest)
  }

  /// Makes the account a member of groups, as another device of it would.
  private static func join(
    _ groups: [GroupAdminKey], _ account: Account, in swarms: MemorySwarms, at now: MessageTime
  ) throws {
    let device = try ConfigStore(account)
    try device.edit { configs in
      for group in groups {
        let access = try group.grantAccess(to: account.id)
        try configs.groups.update(group.group) { entry in
          entry.name = "Group"
          entry.access = access
          entry.membership.joinedAtSeconds = Int64(now.seconds)
        }
      }
    }
    for push in device.pendingPushes(in: account.id, at: now)?.pushes ?? [] {
      for message in push.messages {
        _ = try swarms.put(message, to: account.id, in: push.namespace, for: month)
      }
    }
  }
}
