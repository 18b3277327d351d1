internal import CSessionCore

/// A message as a node keeps it.
public struct StoredMessage: Hashable, Sendable {
  public let hash: String
  public let timestamp: UInt64
  public let expiry: UInt64
  public let data: [UInt8]

  public init(hash: String, timestamp: UInt64, expiry: UInt64, data: [UInt8]) {
    self.hash = hash
    self.timestamp = timestamp
    self.expiry = expiry
    self.data = data
  }

  /// The hash of a stored message.
  public static func hash(of data: [UInt8], account: [UInt8], namespace: Int16) -> String {
    precondition(account.count == Int(SC_STORAGE_ACCOUNT_BYTES))
    return Core.text(capacity: SC_STORAGE_HASH_CHARS + 1) { text in
      data.withUnsafeBufferPointer { sc_storage_message_hash(text, account, namespace, sc_bytes($0)) }
    }
  }

  /// Its cost in the budget of a retrieval.
  public static func cost(hash: Int, data: Int) -> UInt64 { sc_storage_message_cost(hash, data) }
}
