import SessionBase
import SessionCore

/// What an account may do in the swarm of an owner, as its configs say it now.
///
/// Jobs and rows name owners only: this is asked for when a request is made, since a promotion, an invitation or a removal
/// changes it while they wait.
enum Credentials: Sendable {
  case account(Account)
  case admin(GroupAdminKey)
  case member(Account, of: SessionID, access: SecretBytes)

  var signer: Storage.Signer {
    switch self {
    case .account(let account): .account(account)
    case .admin(let key): .admin(key)
    case .member(let account, let group, let access): .member(account, of: group, access: access)
    }
  }

  /// True if other clients take configs that are pushed with it.
  var mayPush: Bool {
    switch self {
    case .account, .admin: true
    case .member: false
    }
  }
}

extension Group {
  /// The key of its admins; nil for a member, and where the seed is of another group.
  var adminKey: GroupAdminKey? {
    guard let adminSeed, let key = try? GroupAdminKey(seed: adminSeed), key.group == id else { return nil }
    return key
  }

  /// What `account` may do there; nil if it is not in the group, or its secrets are of another one.
  func credentials(of account: Account) -> Credentials? {
    guard isJoined else { return nil }
    if let adminKey { return .admin(adminKey) }
    guard let access, (try? account.verifyAccess(access, to: id)) != nil else { return nil }
    return .member(account, of: id, access: access)
  }
}

extension ConfigAuthor {
  /// What we may do in the swarm of an owner; nil for a group that we are not in.
  func credentials(for owner: SessionID) throws -> Credentials? {
    guard owner != own else { return .account(account) }
    return try configs.read { configs in try configs.groups[owner]?.credentials(of: account) }
  }

  /// The same, from any task.
  func currentCredentials(for owner: SessionID) async throws -> Credentials? {
    try await queue.run { [self] in try credentials(for: owner) }
  }

  /// What messages to a group are sealed with: nil while there is no key, or a newer one is not in use yet.
  func messageKey(of group: SessionID) throws -> SecretBytes? {
    try configs.read { configs in
      guard configs.openGroups.contains(group) else { return nil }
      return try configs.readGroup(group) { (group) throws(SessionError) in
        group.isRekeying ? nil : try group.messageKeys().first
      }
    }
  }

  /// What messages of a group are tried to be opened with, the newest first.
  func openingKeys(of group: SessionID) throws -> [SecretBytes] {
    try configs.read { configs in
      guard configs.openGroups.contains(group) else { return [] }
      return try configs.readGroup(group) { (group) throws(SessionError) in try group.messageKeys() }
    }
  }
}
