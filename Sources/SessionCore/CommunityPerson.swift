internal import CSessionCore

/// The person behind the ids of one account on a community server.
///
/// All ids of an account lead to the same person: its account id, its unblinded key, both ids of the first scheme and
/// the id of the second.
public struct CommunityPerson: Hashable, Sendable {
  /// The key of the person's id of the second scheme, 32 bytes.
  public let key: [UInt8]

  /// Throws `idKind` for an id of a kind that community servers do not have, and `idBlind` or `keyInvalid` for one whose key
  /// is not safe.
  public init(of id: SessionID, on server: [UInt8]) throws(SessionError) {
    guard server.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    switch id.kind {
    case .blinded25:
      guard Self.isCanonical(id.key) else { throw SessionError(SC_ERR_ID_BLIND) }
      // Only points of the main subgroup have a form for key exchange.
      _ = try Core.exchangeKey(of: id.key)
      key = id.key
    case .standard: key = try Self.key(of: id, on: server)
    case .unblinded:
      key = try Self.key(of: try SessionID(.standard, key: try Core.exchangeKey(of: id.key)), on: server)
    case .blinded15:
      var (blinded, account) = (id.core, sc_id())
      try Core.call { sc_blind15_account(&account, &blinded, server) }
      key = try Self.key(of: SessionID(account), on: server)
    case .group, .version: throw SessionError(SC_ERR_ID_KIND)
    }
  }

  private static func key(of account: SessionID, on server: [UInt8]) throws(SessionError) -> [UInt8] {
    var (account, blinded) = (account.core, sc_id())
    try Core.call { sc_blind25_id(&blinded, &account, server) }
    return SessionID(blinded).key
  }

  /// False for a coordinate that is not smaller than 2²⁵⁵ − 19: a second spelling of another key.
  private static func isCanonical(_ key: [UInt8]) -> Bool {
    key[31] & 0x7F != 0x7F || key[0] < 0xED || key[1..<31].contains { $0 != 0xFF }
  }
}
