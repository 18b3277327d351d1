internal import CSessionCore
public import SessionCore

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

/// The content of a reply, one case for each kind of request.
public indirect enum StorageReply: Sendable {
  case members([SwarmMember])
  case messages([StoredMessage], hasMore: Bool)
  case expiries([StorageChange])
  case tokens([[UInt8]])
  case swarm(StorageSwarm)
  /// The list is nil if nothing has changed since the named block.
  case serviceNodes([NodeRecord]?, height: UInt64, blockHash: String)
  case unregisteredName
  case info(version: [UInt16], timestamp: UInt64)
  case activeNodes([NodeRecord])
  case results([StorageResult])
  case outcome(isTrue: Bool, height: UInt64, version: [UInt16], StorageResult?)
}

/// The clock and fork that a node adds to its replies.
public struct StorageClock: Sendable {
  public let time: UInt64
  public let fork: [UInt16]

  public init(time: UInt64, fork: [UInt16]) {
    self.time = time
    self.fork = fork
  }
}

/// The nodes that store an account's messages.
public struct StorageSwarm: Sendable {
  public let id: UInt64
  public let nodes: [NodeRecord]

  public init(id: UInt64, nodes: [NodeRecord]) {
    self.id = id
    self.nodes = nodes
  }
}

/// A message that was deleted, or has a new expiry.
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
