internal import CSessionCore

extension GroupAdminKey {
  /// What a member authorises requests to the group's swarm with, 100 bytes: it lets them read and write, and is of
  /// no use to anybody else.
  public func grantAccess(to member: SessionID) throws(SessionError) -> SecretBytes {
    try withPair { (pair) throws(SessionError) in
      var id = member.core
      return try Core.secret(count: Int(SC_SUBACCOUNT_ACCESS_BYTES)) {
        sc_subaccount_grant($0, pair, &id, UInt32(SC_SUBACCOUNT_MEMBER))
      }
    }
  }

  /// What the swarm knows a member's access by, 36 bytes: see ``Storage/Revoke``.
  public func accessToken(of member: SessionID) throws(SessionError) -> [UInt8] {
    try withPair { (pair) throws(SessionError) in
      var id = member.core
      var token = [UInt8](repeating: 0, count: Int(SC_SUBACCOUNT_TOKEN_BYTES))
      try Core.call { sc_subaccount_token(&token, pair, &id, UInt32(SC_SUBACCOUNT_MEMBER)) }
      return token
    }
  }
}

extension Account {
  /// Throws unless an admin of the group granted this access to this account.
  public func verifyAccess(_ access: SecretBytes, to group: SessionID) throws(SessionError) {
    var group = group.core
    try withKeys { (keys) throws(SessionError) in
      try access.withCore { (access) throws(SessionError) in
        try Core.call { sc_subaccount_verify(&group, keys, access, UInt32(SC_SUBACCOUNT_READ)) }
      }
    }
  }
}
