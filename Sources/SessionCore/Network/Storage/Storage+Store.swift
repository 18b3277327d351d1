internal import CSessionCore
import SessionBase

extension Storage {
  /// Stores data in a swarm.
  public struct Store: Request {
    public let account: SessionID
    public let namespace: StorageNamespace
    public let data: [UInt8]
    public let lifetime: Duration
    /// The timestamp of the data; nil for the time when the request is sent.
    public let timestamp: MessageTime?
    private let signer: Signer?

    /// Stores a message to `account`; anyone may store in ``StorageNamespace/messages``.
    public init(
      _ data: [UInt8], to account: SessionID, in namespace: StorageNamespace = .messages, lifetime: Duration,
      timestamp: MessageTime? = nil
    ) {
      self.init(data, to: account, as: nil, in: namespace, lifetime: lifetime, timestamp: timestamp)
    }

    /// Stores data that only the owner of an account, or members of a group, may store.
    public init(
      _ data: [UInt8], as signer: Signer, in namespace: StorageNamespace, lifetime: Duration,
      timestamp: MessageTime? = nil
    ) {
      self.init(
        data, to: signer.account, as: signer, in: namespace, lifetime: lifetime, timestamp: timestamp)
    }

    private init(
      _ data: [UInt8], to account: SessionID, as signer: Signer?, in namespace: StorageNamespace,
      lifetime: Duration, timestamp: MessageTime?
    ) {
      self.account = account
      self.namespace = namespace
      self.data = data
      self.lifetime = lifetime
      self.timestamp = timestamp
      self.signer = signer
    }

    /// Its hash in the swarm.
    public var hash: String {
      StoredMessage.hash(of: data, account: account.bytes, namespace: namespace.rawValue)
    }

    public var call: Call<Outcome<Stored>> {
      Call(SC_STORAGE_STORE, about: account, as: signer) { request, loan, time in
        let timestamp = timestamp?.milliseconds ?? time
        request.of.store = sc_storage_store(
          number: namespace.rawValue, timestamp: timestamp,
          expiry: timestamp.saturating(adding: lifetime.nanoseconds / 1_000_000),
          signed_at: signer == nil ? 0 : time, data: loan.bytes(data))
      } read: { (reading) throws(SessionError) in
        try reading.outcome { (member) throws(SessionError) in
          Stored(expiry: try MessageTime(stored: member.expiry), wasThere: member.already)
        }
      }
    }
  }

  /// The result of a node.
  public struct Stored: Hashable, Sendable {
    public let expiry: MessageTime
    /// True if it was stored there before.
    public let wasThere: Bool
  }
}

extension UInt64 {
  fileprivate func saturating(adding other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
