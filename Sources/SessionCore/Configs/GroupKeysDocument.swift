internal import CSessionCore

/// A group's key message, decoded without the group's configs, for tools that inspect such messages. To synchronise a
/// group, use ``GroupConfigs``.
public struct GroupKeysDocument: Sendable {
  /// The keys in the message for this account, newest first; empty if it has none for it.
  public let keys: [SecretBytes]

  /// Parses a message signed by the group. Throws ``SessionError/Code/signature`` or another error for an invalid
  /// one.
  public init(reading message: [UInt8], of group: SessionID, as account: Account) throws(SessionError) {
    var keys = try GroupKeys(group, of: account, adminSeed: nil, dump: [])
    // The hash and time from a swarm do not affect the content.
    let stored = ConfigMessage(hash: "message", stored: message, storedAt: try MessageTime(milliseconds: 1))
    try keys.load(stored, at: stored.storedAt)
    self.keys = try keys.all()
  }
}
