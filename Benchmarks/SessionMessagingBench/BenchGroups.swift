import SessionCore
import SessionMessaging
import SessionNetworking

/// Groups whose members were not invited: their configs say that they are in them.
enum BenchGroups {
  private static let month = Duration.seconds(14 * 24 * 3600)

  /// A group with its configs in its swarm. Returns the key of its admin, and that of its messages.
  static func found(
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
  static func join(
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
