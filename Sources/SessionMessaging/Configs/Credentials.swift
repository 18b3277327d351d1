import SessionBase
import SessionCore
import Synchronization

/// The account's rights in the swarm of an owner, according to its current configs.
///
/// Jobs and rows name only the owner. The credentials are looked up when a request is made, since a promotion, an
/// invitation or a removal may change them in the meantime.
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

  /// True if other clients accept configs pushed with these credentials.
  var mayPush: Bool {
    switch self {
    case .account, .admin: true
    case .member: false
    }
  }
}

extension Group {
  /// The admin key of the group; nil for a member, and if the seed belongs to another group.
  var adminKey: GroupAdminKey? {
    guard let adminSeed, let key = try? GroupAdminKey(seed: adminSeed), key.group == id else { return nil }
    return key
  }

  /// The rights of `account` in the group; nil if it is not a member, or its secrets belong to another group.
  func credentials(of account: Account, verifying verified: VerifiedAccess? = nil) -> Credentials? {
    guard isJoined else { return nil }
    if let adminKey { return .admin(adminKey) }
    guard let access, (verified ?? VerifiedAccess()).allows(access, to: id, for: account) else { return nil }
    return .member(account, of: id, access: access)
  }
}

/// The access to groups that was verified already: that takes longer than a poll of a group in which nothing happens.
final class VerifiedAccess: Sendable {
  /// The digest of the access to each group.
  private let digests = Mutex<[SessionID: [UInt8]]>([:])

  /// True if the access is that of a member with all rights.
  func allows(_ access: SecretBytes, to group: SessionID, for account: Account) -> Bool {
    guard let digest = try? access.digest() else { return false }
    if digests.withLock({ $0[group] }) == digest { return true }
    guard (try? account.verifyAccess(access, to: group)) != nil else { return false }
    digests.withLock { $0[group] = digest }
    return true
  }
}

extension Configs {
  /// The key that seals messages to a group; nil while there is no key, or a newer one is not in use yet.
  func messageKey(of group: SessionID) throws -> SecretBytes? {
    guard isOpen(group) else { return nil }
    return try readGroup(group) { (group) throws(SessionError) in
      group.isRekeying ? nil : try group.messageKeys().first
    }
  }
}

extension ConfigAuthor {
  /// Our rights in the swarm of an owner; nil for a group that we are not in.
  func credentials(for owner: SessionID) throws -> Credentials? {
    guard owner != own else { return .account(account) }
    return try configs.read { configs in try configs.groups[owner].flatMap { credentials(in: $0) } }
  }

  /// Our rights in a group; nil if we are not in it.
  func credentials(in group: Group) -> Credentials? {
    group.credentials(of: account, verifying: verifiedAccess)
  }

  /// Does the same from any task.
  func currentCredentials(for owner: SessionID) async throws -> Credentials? {
    try await queue.run { [self] in try credentials(for: owner) }
  }

  /// The key that seals messages to a group; nil while there is no key, or a newer one is not in use yet.
  func messageKey(of group: SessionID) throws -> SecretBytes? {
    try configs.read { configs in try configs.messageKey(of: group) }
  }

  /// The keys to try when opening messages of a group, newest first.
  func openingKeys(of group: SessionID) throws -> [SecretBytes] {
    try configs.read { configs in
      guard configs.isOpen(group) else { return [] }
      return try configs.readGroup(group) { (group) throws(SessionError) in try group.messageKeys() }
    }
  }
}
