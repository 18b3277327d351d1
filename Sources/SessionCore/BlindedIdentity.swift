internal import CSessionCore

/// An account as one community sees it: under an id that others cannot link to the account.
public struct BlindedIdentity: Sendable {
  /// The two blinding schemes; each has its own kind of id.
  public enum Scheme: Sendable, CaseIterable {
    case blinded15
    case blinded25
  }

  public let id: SessionID
  /// The community server's public key, 32 bytes.
  public let server: [UInt8]

  private let account: Account
  /// One `sc_blinded_pair`.
  private let pair: SecretBytes

  public init(
    of account: Account, on server: some Collection<UInt8>, scheme: Scheme
  ) throws(SessionError) {
    let server = try Self.key(of: server)
    let make = scheme == .blinded15 ? sc_blind15_pair : sc_blind25_pair
    (id, pair) = try account.withKeys { (keys) throws(SessionError) in
      try Core.withWiped(sc_blinded_pair.self) { (pair) throws(SessionError) in
        try Core.call { make(pair, keys, server) }
        return (SessionID(pair.pointee.id), try SecretBytes(value: pair))
      }
    }
    self.account = account
    self.server = server
  }

  /// Signs as the blinded id; the id's key verifies the signature.
  public func sign(_ message: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    try account.withKeys { (keys) throws(SessionError) in
      try pair.withValue(sc_blinded_pair.self) { (pair) throws(SessionError) in
        try message.lend { (message) throws(SessionError) in
          var signature = [UInt8](repeating: 0, count: Int(SC_SIGNATURE_BYTES))
          sc_blind_sign(&signature, keys, pair, message)
          return signature
        }
      }
    }
  }

  /// Seals a message for another blinded id of the same kind, for the community's inbox.
  public func seal(
    _ message: some Collection<UInt8>, for recipient: SessionID
  ) throws(SessionError) -> [UInt8] {
    try recipient.require(id.kind)
    var id = recipient.core
    return try account.withKeys { (keys) throws(SessionError) in
      try Core.bytes(of: message) { sc_blinded_seal($0, nil, keys, server, &id, $1) }
    }
  }

  /// Opens a message from the inbox, or from the outbox if another device of this account sent it, and proves which
  /// account is behind the blinded sender.
  public func open(
    _ sealed: some Collection<UInt8>, from sender: SessionID, to recipient: SessionID
  ) throws(SessionError) -> OpenedMessage {
    try account.withKeys { (keys) throws(SessionError) in
      try sealed.lend { (sealed) throws(SessionError) in
        var senderID = sender.core
        var recipientID = recipient.core
        return try OpenedMessage {
          sc_blinded_open($0, $1, keys, server, &senderID, &recipientID, sealed)
        }
      }
    }
  }

  fileprivate static func key(of server: some Collection<UInt8>) throws(SessionError) -> [UInt8] {
    guard server.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    return Array(server)
  }
}

extension BlindedIdentity: CustomStringConvertible, CustomReflectable {
  public var description: String { id.description }
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension SessionID {
  /// True if `blinded` is this account id as blinded for the community server with the key `server`.
  public func isBehind(
    _ blinded: SessionID, on server: some Collection<UInt8>
  ) throws(SessionError) -> Bool {
    let server = try BlindedIdentity.key(of: server)
    var mine = core
    var other = blinded.core
    var matches = false
    try Core.call { sc_blind_matches(&matches, &mine, &other, server) }
    return matches
  }
}
