internal import CSessionCore

extension Storage {
  /// Retrieves the messages of a namespace from a node.
  public struct Retrieve: Request {
    /// The size limit of the reply; at least one message is always sent.
    public enum Limit: Hashable, Sendable {
      case bytes(Int)
      /// One part in this many of the largest reply: `.part(8)` leaves room for seven others in the same batch.
      case part(Int)
    }

    public let account: SessionID
    public let namespace: StorageNamespace
    /// The cursor from this node: each node has its own order of messages.
    public let lastHash: String?
    public let limit: Limit?
    /// The most messages.
    public let maxCount: Int?
    private let signer: Signer?

    /// Retrieves messages that only the owner of an account, or members of a group, may read.
    public init(
      _ namespace: StorageNamespace, as signer: Signer, after lastHash: String? = nil, limit: Limit? = nil,
      maxCount: Int? = nil
    ) {
      self.init(namespace, signer.account, lastHash, limit, maxCount, signer)
    }

    /// Retrieves messages that anyone may read.
    public init(
      _ namespace: StorageNamespace, of account: SessionID, after lastHash: String? = nil,
      limit: Limit? = nil,
      maxCount: Int? = nil
    ) {
      self.init(namespace, account, lastHash, limit, maxCount, nil)
    }

    private init(
      _ namespace: StorageNamespace, _ account: SessionID, _ lastHash: String?, _ limit: Limit?,
      _ maxCount: Int?, _ signer: Signer?
    ) {
      self.namespace = namespace
      self.account = account
      self.lastHash = lastHash
      self.limit = limit
      self.maxCount = maxCount
      self.signer = signer
    }

    public var call: Call<Messages> {
      Call { (loan, time) throws(SessionError) in
        var request = sc_storage_request(SC_STORAGE_RETRIEVE, account)
        request.of.retrieve = sc_storage_retrieve(
          number: namespace.rawValue, last_hash: loan.text(lastHash ?? ""),
          max_count: UInt64(clamping: maxCount ?? 0), max_size: limit?.core ?? 0, signed_at: 0)
        if let signer {
          request.of.retrieve.signed_at = time
          try signer.sign(&request)
        }
        return request
      } read: { reading in
        Messages(reading.reply.pointee.of.messages)
      }
    }
  }

  /// The messages of a namespace at a node.
  public struct Messages: Sendable {
    /// In the node's order, without duplicates and without messages whose data does not match their hash.
    public let messages: [StoredData]
    /// The cursor for this node; nil if there were no messages.
    public let lastHash: String?
    /// True if there are more after the cursor.
    public let hasMore: Bool
    /// The number of messages dropped because their hash is wrong.
    public let dropped: Int
  }

  /// A message stored in a swarm.
  public struct StoredData: Hashable, Sendable {
    public let hash: String
    public let data: [UInt8]
    /// The timestamp given by its author.
    public let timestamp: MessageTime
    /// Its expiry, according to the node.
    public let expiry: MessageTime
  }
}

extension Storage.Retrieve.Limit {
  /// Nodes interpret a negative limit as a part.
  fileprivate var core: Int64 {
    switch self {
    case .bytes(let count): Int64(max(1, count))
    case .part(let part): -Int64(max(1, part))
    }
  }
}

extension Storage.Messages {
  fileprivate init(_ core: sc_storage_messages) {
    let all = UnsafeBufferPointer(start: core.list, count: core.count)
    messages = all.compactMap { Storage.StoredData($0) }
    lastHash = all.last.map { $0.hash.string }
    hasMore = core.more
    dropped = all.count - messages.count
  }
}

extension Storage.StoredData {
  fileprivate init?(_ core: sc_storage_message) {
    guard !core.dropped, let timestamp = try? MessageTime(milliseconds: core.timestamp),
      let expiry = try? MessageTime(milliseconds: core.expiry)
    else { return nil }
    self.init(
      hash: core.hash.string, data: Array(core.data.content), timestamp: timestamp, expiry: expiry)
  }
}
