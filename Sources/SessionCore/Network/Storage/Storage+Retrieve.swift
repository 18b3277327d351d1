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
    public let maxCount: Int?
    private let signer: Signer?

    /// Retrieves messages that only the owner of an account, or members of a group, may read.
    public init(
      _ namespace: StorageNamespace, as signer: Signer, after lastHash: String? = nil, limit: Limit? = nil,
      maxCount: Int? = nil
    ) {
      self.init(namespace, of: signer.account, as: signer, after: lastHash, limit: limit, maxCount: maxCount)
    }

    /// Retrieves messages that anyone may read.
    public init(
      _ namespace: StorageNamespace, of account: SessionID, after lastHash: String? = nil,
      limit: Limit? = nil, maxCount: Int? = nil
    ) {
      self.init(namespace, of: account, as: nil, after: lastHash, limit: limit, maxCount: maxCount)
    }

    private init(
      _ namespace: StorageNamespace, of account: SessionID, as signer: Signer?, after lastHash: String?,
      limit: Limit?, maxCount: Int?
    ) {
      self.namespace = namespace
      self.account = account
      self.lastHash = lastHash
      self.limit = limit
      self.maxCount = maxCount
      self.signer = signer
    }

    public var call: Call<Messages> {
      Call(SC_STORAGE_RETRIEVE, about: account, as: signer) { request, loan, time in
        request.of.retrieve = sc_storage_retrieve(
          number: namespace.rawValue, last_hash: loan.text(lastHash ?? ""),
          max_count: UInt64(clamping: maxCount ?? 0), max_size: limit?.core ?? 0,
          signed_at: signer == nil ? 0 : time)
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
