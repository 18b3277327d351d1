import Measuring
import SessionCore
import SessionJobs
import SessionMessaging
import SessionNetworking
import SessionStorage

/// A large group: what it takes to create it, and to write to it.
enum GroupBench {
  private static let size = 100
  private static let rounds = 3
  private static let creationTarget = 0.150
  private static let messages = 1000
  private static let messageTarget = 0.8...1.2

  static func run(in folder: String) throws {
    let (alice, bob) = (try Account.generate(), try Account.generate())
    let people = try (1..<size).map { _ in try Account.generate().id }
    let messenger = try finish {
      let place = try AccountFolder("account", in: StorageRoots(inside: folder + "/groups"))
      let messenger = try await Messenger.create(
        alice, name: "Alice", in: place, MessengerEnvironment(swarms: MemorySwarms()))
      try await messenger.start()
      try await messenger.send("Hello", to: bob.id)
      try await messenger.waitUntilSettled()
      return messenger
    }
    let group = try creation(by: messenger, with: people, alice)
    try sending(by: messenger, to: group, and: .person(bob.id))
    try finish { await messenger.stop() }
  }

  /// From the draft to the stored invitations.
  private static func creation(
    by messenger: Messenger, with people: [SessionID], _ account: Account
  ) throws -> Conversation.ID {
    var (ours, floor): ([Double], [Double]) = ([], [])
    var last: Conversation.ID?
    for round in 0..<rounds {
      let cost = try Cost.of {
        last = try finish {
          let group = try await messenger.createGroup(GroupDraft(name: "Group \(round)", members: people))
          try await messenger.waitUntilSettled()
          return group
        }
      }
      ours.append(cost.computed)
      floor.append(try Cost.of { try seal(for: people, by: account) }.computed)
    }
    guard let last, let ours = ours.min(), let floor = floor.min() else {
      preconditionFailure("no group was created")
    }
    print(
      "messaging/groups creation of a group of \(size): \((ours * 1e3).rounded(to: 1)) ms of the processor, target "
        + "\((creationTarget * 1e3).rounded(to: 0)): \(judged(ours <= creationTarget)); "
        + "floor \((floor * 1e3).rounded(to: 1)) ms (keys, access and sealed invitations of all members); "
        + "ratio \((ours / floor).rounded(to: 2))")
    return last
  }

  /// Does the cryptography that every client needs to create a group.
  private static func seal(for people: [SessionID], by account: Account) throws {
    let key = try GroupAdminKey(seed: .random(count: 32))
    let now = try MessageTime(milliseconds: UInt64(SystemClock().now))
    let store = try ConfigStore(account)
    try store.edit { configs in
      try configs.openGroup(key.group, adminSeed: key.seed)
      try configs.withGroup(key.group) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = "Group" }
        for id in people + [account.id] { try group.updateMember(id) { $0.note(.inviteNotSent) } }
        try group.rekey()
      }
    }
    precondition(store.pendingPushes(in: key.group, at: now)?.pushes.count == 3, "a group has three configs")
    for person in people {
      let invite = try GroupInvite(to: key.group, name: "Group", authData: key.grantAccess(to: person))
      let update = try GroupUpdateMessage(signing: .invite(invite), with: key, sentAt: now, invitee: person)
      _ = try account.encode(Message(.groupUpdate(update), sentAt: now), for: .contact(person))
    }
  }

  /// The same messages to a group and to one person.
  private static func sending(
    by messenger: Messenger, to group: Conversation.ID, and person: Conversation.ID
  ) throws {
    try finish {
      // Its key is in use once it came back.
      let first = try await messenger.send("Hello", to: group)
      while try await messenger.message(first)?.state != .sent { await messenger.poll() }
    }
    var (many, one): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      many.append(try cost(of: messages, to: group, by: messenger))
      one.append(try cost(of: messages, to: person, by: messenger))
    }
    let (ours, floor) = (many.min() ?? 0, one.min() ?? 0)
    let ratio = ours / floor
    print(
      "messaging/groups a message to a group of \(size): "
        + "\((ours * 1e6 / Double(messages)).rounded(to: 0)) us of the processor; "
        + "floor \((floor * 1e6 / Double(messages)).rounded(to: 0)) us (to one person, with the copy); "
        + "ratio \(ratio.rounded(to: 2)); target \(messageTarget.lowerBound.rounded(to: 1)) to "
        + "\(messageTarget.upperBound.rounded(to: 1)): \(judged(ratio <= messageTarget.upperBound))")
  }

  private static func cost(
    of count: Int, to conversation: Conversation.ID, by messenger: Messenger
  ) throws -> Double {
    let cost = try Cost.of {
      try finish {
        for number in 0..<count { try await messenger.send("message \(number)", to: conversation) }
        try await messenger.waitUntilIdle()
      }
    }
    let states = try finish { try await messenger.messages(in: conversation, limit: 500).map(\.state) }
    precondition(states.allSatisfy { $0 == .sent || $0 == .received }, "some messages were not sent")
    return cost.computed
  }
}
