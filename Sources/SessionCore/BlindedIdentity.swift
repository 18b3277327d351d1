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
        try Core.bytes(count: SC_SIGNATURE_BYTES, of: message) {
          sc_blind_sign($0, keys, pair, $1)
          return SC_OK
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
    var senderID = sender.core
    var recipientID = recipient.core
    return try account.withKeys { (keys) throws(SessionError) in
      try OpenedMessage(sealed) { sc_blinded_open($0, $1, keys, server, &senderID, &recipientID, $2) }
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
  /// The ids of this account on the community server with the key `server`: two by the first scheme, one by the other.
  public func blinded(on server: some Collection<UInt8>) throws(SessionError) -> [SessionID] {
    let server = try BlindedIdentity.key(of: server)
    var (account, ids) = (core, [sc_id](repeating: sc_id(), count: 3))
    try Core.call { sc_blind15_ids(&ids, &account, server) }
    try Core.call { sc_blind25_id(&ids[2], &account, server) }
    return ids.map { SessionID($0) }
  }

  /// The account behind this id, of kind 15, on the community server with the key `server`: anyone can compute it. Throws
  /// `idKind` for ids of other kinds, and `idBlind` for one that cannot be an account's.
  public func account(on server: some Collection<UInt8>) throws(SessionError) -> SessionID {
    let server = try BlindedIdentity.key(of: server)
    var (blinded, account) = (core, sc_id())
    try Core.call { sc_blind15_account(&account, &blinded, server) }
    return SessionID(account)
  }

  /// True for an id that somebody has in one community only.
  public var isBlinded: Bool { kind == .blinded15 || kind == .blinded25 }
}
