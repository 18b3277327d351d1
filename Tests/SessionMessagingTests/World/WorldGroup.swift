import SessionCore
import SessionNetworking
import SessionStorage

@testable import SessionMessaging

/// A group whose members did not need to be invited: their configs say that they are in it.
struct WorldGroup: Sendable {
  let key: GroupAdminKey

  var id: SessionID { key.group }
  var conversation: Conversation.ID { .group(id) }

  init() throws { key = try GroupAdminKey(seed: SecretBytes(copying: Self.randomSeed())) }

  /// A group that an admin created.
  init(with key: GroupAdminKey) { self.key = key }

  private static func randomSeed() -> [UInt8] { (0..<32).map { _ in .random(in: 0...255) } }

  /// Makes the group, with somebody as its first admin.
  func found(by admin: Messenger, named name: String = "Trip", with members: [SessionID]) async throws {
    try await admin.author.edit { [key] configs, now in
      try configs.groups.update(key.group) { group in
        group.name = name
        group.adminSeed = key.seed
        group.membership.joinedAtSeconds = Int64(now.seconds)
      }
      try configs.openGroup(key.group, adminSeed: key.seed)
      try configs.withGroup(key.group) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = name }
        for member in members { try group.updateMember(member) { $0.note(.inviteAccepted) } }
        try group.updateMember(admin.id) { $0.note(.promotionAccepted) }
        try group.rekey()
      }
    } writing: { _, _, _ in
    }
  }

  /// Makes somebody a member, with what an admin would have sent them.
  func join(_ member: Messenger, named name: String = "Trip") async throws {
    let access = try key.grantAccess(to: member.id)
    try await member.author.edit { [id] configs, now in
      try configs.groups.update(id) { group in
        group.name = name
        group.access = access
        group.membership.joinedAtSeconds = Int64(now.seconds)
      }
    } writing: { _, _, _ in
    }
  }

  func leave(_ member: Messenger) async throws {
    try await member.author.edit { [id] configs, _ in
      try configs.groups.remove(id)
    } writing: { _, _, _ in
    }
  }

  /// Makes a new key, as an admin does when the members change.
  func rekey(by admin: Messenger) async throws {
    try await admin.author.edit { [id] configs, _ in
      try configs.withGroup(id) { (group) throws(SessionError) in try group.rekey() }
    } writing: { _, _, _ in
    }
  }

  /// Returns a message to the group, sealed with the newest key of its sender.
  func sealed(_ text: String, by sender: Messenger, at time: MessageTime) throws -> [UInt8] {
    guard let key = try sender.author.messageKey(of: id) else {
      throw MessengerError(.notReady, "there is no key to seal with")
    }
    return try sender.context.account.encode(
      Message(.visible(VisibleMessage(body: text)), sentAt: time), for: .group(id, key: key))
  }

  /// Says something there.
  func say(_ text: String, by sender: Messenger, in world: World) throws {
    let time = try MessageTime(milliseconds: UInt64(world.clock.now))
    world.swarms.put(try sealed(text, by: sender, at: time), to: id, in: .groupMessages)
  }
}
