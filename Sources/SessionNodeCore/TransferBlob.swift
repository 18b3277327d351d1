internal import CSessionCore
public import SessionCore

/// Messages and revocations that one node transfers to another.
public struct TransferBlob: Sendable {
  public struct Message: Hashable, Sendable {
    public let account: [UInt8]
    public let namespace: Int16
    public let message: StoredMessage

    public init(account: [UInt8], namespace: Int16, message: StoredMessage) {
      self.account = account
      self.namespace = namespace
      self.message = message
    }
  }

  public struct Revocation: Hashable, Sendable {
    public let account: [UInt8]
    public let token: [UInt8]

    public init(account: [UInt8], token: [UInt8]) {
      self.account = account
      self.token = token
    }
  }

  public var messages: [Message] = []

  public init() {}

  /// Writes the messages.
  public func written() throws(SessionError) -> [UInt8] {
    try CoreArena.lend { (loan) throws(SessionError) in
      let kept = loan.list(messages.map { $0.core(loan) })
      return try Core.bytes { sc_storage_transfer_write($0, kept, messages.count) }
    }
  }

  /// Parses messages, dropping those whose hash does not match. Throws for an invalid transfer.
  public init(parsing bytes: [UInt8]) throws(SessionError) {
    messages = try bytes.lend { (bytes) throws(SessionError) in
      var (reader, message) = (sc_storage_transfer_reader(), sc_storage_kept())
      try Core.call { sc_storage_transfer_begin(&reader, bytes) }
      var messages: [Message] = []
      while try Self.isThere(sc_storage_transfer_next(&message, &reader)) {
        messages.append(Message(message))
      }
      return messages
    }
  }

  /// Writes revocations.
  public static func write(_ revocations: [Revocation]) throws(SessionError) -> [UInt8] {
    let list = revocations.map(\.core)
    return try Core.bytes { sc_storage_revocations_write($0, list, list.count) }
  }

  /// Parses revocations.
  public static func readRevocations(_ bytes: [UInt8]) throws(SessionError) -> [Revocation] {
    try bytes.lend { (bytes) throws(SessionError) in
      var (reader, revocation) = (sc_storage_transfer_reader(), sc_storage_revocation())
      try Core.call { sc_storage_revocations_begin(&reader, bytes) }
      var revocations: [Revocation] = []
      while try isThere(sc_storage_revocations_next(&revocation, &reader)) {
        revocations.append(
          Revocation(account: array(revocation.account), token: array(revocation.token)))
      }
      return revocations
    }
  }

  /// True if a reader returned an item, false at the end.
  private static func isThere(_ status: sc_status) throws(SessionError) -> Bool {
    if status == SC_ERR_NOT_FOUND { return false }
    try SessionError.check(status)
    return true
  }
}

extension TransferBlob.Message {
  fileprivate init(_ kept: sc_storage_kept) {
    self.init(
      account: array(kept.account), namespace: kept.number,
      message: StoredMessage(
        hash: kept.hash.string, timestamp: kept.timestamp, expiry: kept.expiry, data: Array(kept.data.content)
      ))
  }

  fileprivate func core(_ loan: CoreArena) -> sc_storage_kept {
    var kept = sc_storage_kept()
    fill(&kept.account, with: account)
    kept.number = namespace
    kept.hash = loan.text(message.hash)
    kept.timestamp = message.timestamp
    kept.expiry = message.expiry
    kept.data = loan.bytes(message.data)
    return kept
  }
}

extension TransferBlob.Revocation {
  fileprivate var core: sc_storage_revocation {
    var revocation = sc_storage_revocation()
    fill(&revocation.account, with: account)
    fill(&revocation.token, with: token)
    return revocation
  }
}
