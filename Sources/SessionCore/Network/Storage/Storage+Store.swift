internal import CSessionCore
import SessionBase

extension Storage {
  /// Stores data in a swarm.
  public struct Store: Request {
    public let account: SessionID
    public let namespace: StorageNamespace
    public let data: [UInt8]
    /// The requested lifetime.
    public let lifetime: Duration
    /// The timestamp of the data; nil for the time when the request is sent.
    public let timestamp: MessageTime?
    private let signer: Signer?

    /// Stores a message to `account`; anyone may store in ``StorageNamespace/messages``.
    public init(
      _ data: [UInt8], to account: SessionID, in namespace: StorageNamespace = .messages, lifetime: Duration,
      timestamp: MessageTime? = nil
    ) {
      self.init(data, account, namespace, lifetime, timestamp, nil)
    }

    /// Stores data that only the owner of an account, or members of a group, may store.
    public init(
      _ data: [UInt8], as signer: Signer, in namespace: StorageNamespace, lifetime: Duration,
      timestamp: MessageTime? = nil
    ) {
      self.init(data, signer.account, namespace, lifetime, timestamp, signer)
    }

    private init(
      _ data: [UInt8], _ account: SessionID, _ namespace: StorageNamespace, _ lifetime: Duration,
      _ timestamp: MessageTime?, _ signer: Signer?
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
      Call { (loan, time) throws(SessionError) in
        var request = sc_storage_request(SC_STORAGE_STORE, account)
        request.of.store = sc_storage_store(
          number: namespace.rawValue, timestamp: timestamp?.milliseconds ?? time, expiry: 0, signed_at: 0,
          data: loan.bytes(data))
        request.of.store.expiry = request.of.store.timestamp.saturating(
          adding: lifetime.nanoseconds / 1_000_000)
        if let signer {
          request.of.store.signed_at = time
          try signer.sign(&request)
        }
        return request
      } read: { (reading) throws(SessionError) in
        try reading.outcome(.half) { (member) throws(SessionError) in
          Stored(expiry: try MessageTime(stored: member.expiry), wasThere: member.already)
        }
      }
    }
  }

  /// The result of a node.
  public struct Stored: Hashable, Sendable {
    /// The expiry at the node.
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
