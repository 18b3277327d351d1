public import SessionCore

/// Asks one node for everything new of an account.
public struct SwarmPoll: Sendable {
  /// A namespace, and how far it was read at the node.
  public struct Position: Hashable, Sendable {
    public let namespace: StorageNamespace
    /// Nil for the beginning.
    public let lastHash: String?
    /// The answer may fill this part of a node's largest one.
    public let part: Int

    /// Of what a namespace may have at most, if no smaller part is wanted.
    public init(_ namespace: StorageNamespace, after lastHash: String?, part: Int? = nil) {
      self.namespace = namespace
      self.lastHash = lastHash
      self.part = max(part ?? 0, SwarmPoll.part(of: namespace))
    }
  }

  /// The page size when little is expected, as a part of a node's largest reply: 122 KB.
  public static let smallPart = 64

  /// How many hashes are extended in one poll at most.
  public static let maxExtended = 500

  public let signer: Storage.Signer
  public let positions: [Position]
  /// What the swarm is to keep until a time at least, if it is time to say so.
  public let extending: Extension?

  public struct Extension: Hashable, Sendable {
    public let hashes: [String]
    public let until: MessageTime

    public init(_ hashes: [String], until: MessageTime) {
      self.hashes = hashes
      self.until = until
    }
  }

  public init(as signer: Storage.Signer, _ positions: [Position], extending: Extension? = nil) {
    self.signer = signer
    self.positions = positions
    self.extending = extending
  }
}

/// What a node had.
public struct SwarmHarvest: Sendable {
  /// What came out of one namespace.
  public struct Crop: Sendable {
    /// In the node's order, none twice.
    public let messages: [SwarmMessage]
    /// What to go on behind at this node; nil when there was nothing.
    public let lastHash: String?
    /// Whether there is more behind that.
    public let hasMore: Bool

    public init(_ messages: [SwarmMessage], lastHash: String? = nil, hasMore: Bool = false) {
      self.messages = messages
      self.lastHash = lastHash ?? messages.last?.hash
      self.hasMore = hasMore
    }
  }

  /// The key of the node, in hexadecimal digits.
  public let node: String
  public let crops: [StorageNamespace: Result<Crop, NetworkFailure>]
  /// The extended hashes that some node still has; nil without a reply.
  public let extended: Set<String>?

  public init(
    node: String, _ crops: [StorageNamespace: Result<Crop, NetworkFailure>], extended: Set<String>? = nil
  ) {
    self.node = node
    self.crops = crops
    self.extended = extended
  }

  /// The namespaces of which the node says that it has more.
  public var unfinished: Set<StorageNamespace> {
    Set(crops.lazy.filter { (try? $0.value.get().hasMore) ?? false }.map(\.key))
  }

  /// Why a namespace failed, the first in order of those that did; nil if none did.
  public var failure: NetworkFailure? {
    for (_, crop) in crops.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      if case .failure(let failure) = crop { return failure }
    }
    return nil
  }

  /// Whether the node has more of anything.
  public var hasMore: Bool { !unfinished.isEmpty }

  /// How many messages there were.
  public var count: Int {
    crops.values.reduce(0) { sum, crop in sum + ((try? crop.get().messages.count) ?? 0) }
  }
}

extension SwarmPoll {
  /// What part of a node's largest answer a namespace may fill: half for messages, an eighth for a config.
  public static func part(of namespace: StorageNamespace) -> Int {
    switch namespace {
    case .messages, .groupMessages: 2
    default: 8
    }
  }

  /// The same as one request.
  func batch() -> (
    batch: Storage.Batch, extension: Storage.Batch.Place<Storage.Outcome<Storage.Expired>>?,
    places: [(StorageNamespace, Storage.Batch.Place<Storage.Messages>)]
  ) {
    var batch = Storage.Batch()
    let extending = extending.flatMap { $0.hashes.isEmpty ? nil : $0 }
    let first = extending.map { extending in
      batch.add(
        Storage.Expire(
          Array(extending.hashes.prefix(Self.maxExtended)), at: extending.until, .extend, as: signer))
    }
    let places = positions.map { position in
      (
        position.namespace,
        batch.add(
          Storage.Retrieve(
            position.namespace, as: signer, after: position.lastHash,
            limit: .part(position.part)))
      )
    }
    return (batch, first, places)
  }
}

extension SwarmHarvest.Crop {
  init(_ messages: Storage.Messages) {
    self.init(
      messages.messages.map { SwarmMessage($0) }, lastHash: messages.lastHash, hasMore: messages.hasMore)
  }
}
