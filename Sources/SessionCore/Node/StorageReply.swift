internal import CSessionCore

/// The answer of a node to one request.
public struct StorageResult: Sendable {
  public let code: Int
  public let body: Body

  public enum Body: Sendable {
    case reply(StorageReply)
    /// The swarm to ask instead, with code 421.
    case swarm(StorageSwarm)
    case text(String)
  }

  public init(code: Int = 200, _ body: Body) {
    self.code = code
    self.body = body
  }

  public init(_ refusal: NodeRefusal) {
    self.init(code: refusal.code, .text(refusal.text))
  }

  public var isSuccess: Bool { (200...299).contains(code) }
}

/// What a node says in reply, one case for each kind of request.
public indirect enum StorageReply: Sendable {
  case members([SwarmMember])
  case messages([StoredMessage], hasMore: Bool)
  case expiries([StorageChange])
  case tokens([[UInt8]])
  case swarm(StorageSwarm)
  /// Without a list when nothing has changed since the block that was named.
  case serviceNodes([NodeRecord]?, height: UInt64, blockHash: String)
  case unregisteredName
  case info(version: [UInt16], timestamp: UInt64)
  case activeNodes([NodeRecord])
  case results([StorageResult])
  case outcome(isTrue: Bool, height: UInt64, version: [UInt16], StorageResult?)
}

/// What a node says of itself in passing.
public struct StorageClock: Sendable {
  public let time: UInt64
  public let fork: [UInt16]

  public init(time: UInt64, fork: [UInt16]) {
    self.time = time
    self.fork = fork
  }
}

/// The nodes that keep what belongs to an account.
public struct StorageSwarm: Sendable {
  public let id: UInt64
  public let nodes: [NodeRecord]

  public init(id: UInt64, nodes: [NodeRecord]) {
    self.id = id
    self.nodes = nodes
  }
}

/// A message that was deleted, or whose life was changed.
public struct StorageChange: Hashable, Sendable {
  public let hash: String
  public let namespace: Int16
  public let expiry: UInt64

  public init(hash: String, namespace: Int16, expiry: UInt64 = 0) {
    self.hash = hash
    self.namespace = namespace
    self.expiry = expiry
  }
}

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

  /// The name a message is stored under.
  public static func hash(of data: [UInt8], account: [UInt8], namespace: Int16) -> String {
    precondition(account.count == Int(SC_STORAGE_ACCOUNT_BYTES))
    return Core.text(capacity: SC_STORAGE_HASH_CHARS + 1) { text in
      data.withUnsafeBufferPointer { sc_storage_message_hash(text, account, namespace, sc_bytes($0)) }
    }
  }

  /// What it costs of the budget of a retrieve.
  public static func cost(hash: Int, data: Int) -> UInt64 { sc_storage_message_cost(hash, data) }
}
