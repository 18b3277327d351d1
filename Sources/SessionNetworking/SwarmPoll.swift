public import SessionCore

/// A request to one node for everything new of an account.
public struct SwarmPoll: Sendable {
  /// A namespace, and how far it was read at the node.
  public struct Position: Hashable, Sendable {
    public let namespace: StorageNamespace
    /// The cursor; nil for the beginning.
    public let lastHash: String?
    /// The reply may fill one part in this many of a node's largest reply.
    public let part: Int

    /// Uses the default part of a namespace, unless a smaller one is wanted.
    public init(_ namespace: StorageNamespace, after lastHash: String?, part: Int? = nil) {
      self.namespace = namespace
      self.lastHash = lastHash
      self.part = max(part ?? 0, SwarmPoll.part(of: namespace))
    }
  }

  /// The page size when little is expected, as a part of a node's largest reply: 122 KB.
  public static let smallPart = 64

  /// The number of hashes extended in one poll.
  public static let maxExtended = 500

  public let signer: Storage.Signer
  public let positions: [Position]
  /// The messages whose lifetime the swarm should extend, if that is due.
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

/// The reply of a node to a poll.
public struct SwarmReply: Sendable {
  /// The page of one namespace.
  public struct Page: Sendable {
    /// In the node's order, without duplicates.
    public let messages: [SwarmMessage]
    /// The cursor for the next poll of this node; nil if the page is empty.
    public let lastHash: String?
    /// True if there are more messages after the cursor.
    public let hasMore: Bool

    public init(_ messages: [SwarmMessage], lastHash: String? = nil, hasMore: Bool = false) {
      self.messages = messages
      self.lastHash = lastHash ?? messages.last?.hash
      self.hasMore = hasMore
    }
  }

  /// The key of the node, in hexadecimal digits.
  public let node: String
  public let pages: [StorageNamespace: Result<Page, NetworkFailure>]
  /// The extended hashes that some node still has; nil without a reply.
  public let extended: Set<String>?

  public init(
    node: String, _ pages: [StorageNamespace: Result<Page, NetworkFailure>], extended: Set<String>? = nil
  ) {
    self.node = node
    self.pages = pages
    self.extended = extended
  }

  /// The reply with times that are possible now.
  public func plausible(at now: MessageTime) -> SwarmReply {
    let pages = pages.mapValues { page in
      page.map { page in
        Page(page.messages.map { $0.plausible(at: now) }, lastHash: page.lastHash, hasMore: page.hasMore)
      }
    }
    return SwarmReply(node: node, pages, extended: extended)
  }

  /// The namespaces that have more messages, according to the node.
  public var unfinished: Set<StorageNamespace> {
    Set(pages.lazy.filter { (try? $0.value.get().hasMore) ?? false }.map(\.key))
  }

  /// The failure of the first failed namespace, in order; nil if none failed.
  public var failure: NetworkFailure? {
    for (_, page) in pages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      if case .failure(let failure) = page { return failure }
    }
    return nil
  }

  /// True if any namespace has more.
  public var hasMore: Bool { !unfinished.isEmpty }

  /// The number of messages.
  public var count: Int {
    pages.values.reduce(0) { sum, page in sum + ((try? page.get().messages.count) ?? 0) }
  }
}

extension SwarmPoll {
  /// The part of a node's largest reply that a namespace may fill: half for messages, an eighth for a config.
  public static func part(of namespace: StorageNamespace) -> Int {
    switch namespace {
    case .messages, .groupMessages: 2
    default: 8
    }
  }

  /// The poll as one batch.
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

extension SwarmReply.Page {
  init(_ messages: Storage.Messages) {
    self.init(
      messages.messages.map { SwarmMessage($0) }, lastHash: messages.lastHash, hasMore: messages.hasMore)
  }
}
