internal import CSessionCore

/// A message of the keys of a group as its bytes tell it, away from any group's configs: for tools that show what such
/// messages say. To keep a group in step, use ``GroupConfigs``.
public struct GroupKeysDocument: Sendable {
  /// The keys that the message has for the account, newest first; none for somebody it was not made for.
  public let keys: [SecretBytes]

  /// Reads a message that the group has signed: ``SessionError/Code/signature`` and others when it is not.
  public init(reading message: [UInt8], of group: SessionID, as account: Account) throws(SessionError) {
    var keys = try GroupKeys(group, of: account, adminSeed: nil, dump: [])
    // Which name and time a swarm may have given it tells nothing of its content.
    let stored = ConfigMessage(hash: "message", stored: message, storedAt: try MessageTime(milliseconds: 1))
    try keys.load(stored, at: stored.storedAt)
    self.keys = try keys.all()
  }
}
