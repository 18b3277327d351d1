internal import CSessionCore

extension Storage {
  /// Asks a node for what its swarm keeps in a namespace.
  public struct Retrieve: Request {
    /// How much a node is to send at most; one message comes in any case.
    public enum Limit: Hashable, Sendable {
      case bytes(Int)
      /// This part of the most there may be: `.part(8)` leaves room for seven others in the same batch.
      case part(Int)
    }

    public let account: SessionID
    public let namespace: StorageNamespace
    /// What to go on behind, as this node said it: the order of messages is each node's own.
    public let lastHash: String?
    public let limit: Limit?
    /// How many messages at most.
    public let maxCount: Int?
    private let signer: Signer?

    /// What only the owner of an account, or who belongs to a group, may read.
    public init(
      _ namespace: StorageNamespace, as signer: Signer, after lastHash: String? = nil, limit: Limit? = nil,
      maxCount: Int? = nil
    ) {
      self.init(namespace, signer.account, lastHash, limit, maxCount, signer)
    }

    /// What anybody may read.
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

  /// What a node keeps in a namespace.
  public struct Messages: Sendable {
    /// In the node's order. Those whose data does not have their hash are not among them, and none is there twice.
    public let messages: [StoredData]
    /// What to go on behind at this node; nil when there was nothing.
    public let lastHash: String?
    /// True if there is more behind that.
    public let hasMore: Bool
    /// The number of messages dropped because their hash is wrong.
    public let dropped: Int
  }

  /// Something that a swarm keeps.
  public struct StoredData: Hashable, Sendable {
    public let hash: String
    public let data: [UInt8]
    /// The time it was stored with, which its author said.
    public let timestamp: MessageTime
    /// Until when the node keeps it, as the node says.
    public let expiry: MessageTime
  }
}

extension Storage.Retrieve.Limit {
  /// A node takes what is below zero for a part.
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
