internal import CSessionCore

/// The secret key of a group. Its holder is an admin.
public struct GroupAdminKey: Sendable, Equatable {
  static let seedBytes = Int(SC_ED25519_SEED_BYTES)

  public let group: SessionID
  /// 32 bytes.
  public let seed: SecretBytes

  public init(seed: SecretBytes) throws(SessionError) {
    try MessageRule.groupSeed.require(seed.count == Self.seedBytes)
    self.seed = seed
    self.group = try SessionID(.group, key: seed.withPair { array($0.pointee.public_key) })
  }

  /// Returns the group's signature of an update, 64 bytes; nil for updates that need none.
  func sign(
    _ update: GroupUpdate, sentAt: MessageTime, invitee: SessionID?
  ) throws(SessionError) -> [UInt8]? {
    guard sc_group_update_is_signed(update.kind.core) else { return nil }
    let invitee = [invitee].compactMap { $0?.core }
    return try update.withCore { (update) throws(SessionError) in
      try seed.withPair { (pair) throws(SessionError) in
        var signature = [UInt8](repeating: 0, count: Int(SC_SIGNATURE_BYTES))
        try MessageRule.call {
          sc_group_update_sign(
            &signature, nil, update, pair, sentAt.milliseconds, invitee.isEmpty ? nil : invitee, $0)
        }
        return signature
      }
    }
  }

  public static func == (a: Self, b: Self) -> Bool { a.group == b.group }
}

extension GroupAdminKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "GroupAdminKey(\(group))" }
  public var customMirror: Mirror { Mirror(self, children: ["group": group]) }
}

extension GroupAdminKey {
  /// Returns a member's credentials for requests to the group's swarm, 100 bytes: they allow reading and writing, by
  /// that member only.
  public func grantAccess(to member: SessionID) throws(SessionError) -> SecretBytes {
    try seed.withPair { (pair) throws(SessionError) in try UnsafePointer(pair).grantAccess(to: member) }
  }

  /// Returns the token by which the swarm identifies a member's access, 36 bytes: see ``Storage/Revoke``.
  public func accessToken(of member: SessionID) throws(SessionError) -> [UInt8] {
    try seed.withPair { (pair) throws(SessionError) in try UnsafePointer(pair).accessToken(of: member) }
  }
}

extension UnsafePointer<sc_ed25519_pair> {
  func grantAccess(to member: SessionID) throws(SessionError) -> SecretBytes {
    var id = member.core
    return try Core.secret(count: Int(SC_SUBACCOUNT_ACCESS_BYTES)) {
      sc_subaccount_grant($0, self, &id, UInt32(SC_SUBACCOUNT_MEMBER))
    }
  }

  func accessToken(of member: SessionID) throws(SessionError) -> [UInt8] {
    var id = member.core
    return try Core.bytes(count: SC_SUBACCOUNT_TOKEN_BYTES) {
      sc_subaccount_token($0, self, &id, UInt32(SC_SUBACCOUNT_MEMBER))
    }
  }
}

extension Account {
  /// Throws unless an admin of the group granted this access, to read and write, to this account.
  public func verifyAccess(_ access: SecretBytes, to group: SessionID) throws(SessionError) {
    var group = group.core
    try withKeys { (keys) throws(SessionError) in
      try access.withCore { (access) throws(SessionError) in
        try Core.call { sc_subaccount_verify(&group, keys, access, UInt32(SC_SUBACCOUNT_MEMBER)) }
      }
    }
  }
}
