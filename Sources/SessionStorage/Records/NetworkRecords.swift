/// A node of the network, as the last list of them has it.
public struct NetworkNodeRecord: Record, Hashable {
  public let key: [UInt8]
  public let curveKey: [UInt8]
  public let host: String
  public let httpsPort: Int
  public let quicPort: Int
  /// The bits of the swarm's number, which has no sign.
  public let swarm: UInt64
  public let version: String?

  public init(
    key: [UInt8], curveKey: [UInt8], host: String, httpsPort: Int, quicPort: Int, swarm: UInt64,
    version: String?
  ) {
    self.key = key
    self.curveKey = curveKey
    self.host = host
    self.httpsPort = httpsPort
    self.quicPort = quicPort
    self.swarm = swarm
    self.version = version
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    key = try row[0]
    curveKey = try row[1]
    host = try row[2]
    httpsPort = try row[3]
    quicPort = try row[4]
    let bits: Int64 = try row[5]
    swarm = UInt64(bitPattern: bits)
    version = try row[6]
  }

  fileprivate static let everything: SQL =
    "SELECT key, curveKey, host, httpsPort, quicPort, swarm, version FROM networkNode ORDER BY key"
  fileprivate static let clearing: SQL = "DELETE FROM networkNode WHERE 1"
  fileprivate static let insertion: SQL = """
    INSERT INTO networkNode (key, curveKey, host, httpsPort, quicPort, swarm, version) VALUES (?, ?, ?, ?, ?, ?, ?)
    """
}

/// How often a node failed, and when it did last.
public struct NodeStrike: Record, Hashable {
  public let key: [UInt8]
  public let count: Int
  public let at: Int64

  public init(_ key: [UInt8], count: Int, at: Int64) {
    self.key = key
    self.count = count
    self.at = at
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    key = try row[0]
    count = try row[1]
    at = try row[2]
  }

  fileprivate static let everything: SQL = "SELECT key, count, at FROM nodeStrike ORDER BY key"
  fileprivate static let change: SQL = "UPDATE nodeStrike SET count = ?, at = ? WHERE key = ?"
  fileprivate static let insertion: SQL = "INSERT INTO nodeStrike (count, at, key) VALUES (?, ?, ?)"
  fileprivate static let expiry: SQL = "DELETE FROM nodeStrike WHERE at < ?"
}

/// A node that paths begin with, and since when they do.
public struct EdgeNode: Record, Hashable {
  public let key: [UInt8]
  public let firstUsedAt: Int64

  public init(_ key: [UInt8], firstUsedAt: Int64) {
    self.key = key
    self.firstUsedAt = firstUsedAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    key = try row[0]
    firstUsedAt = try row[1]
  }

  fileprivate static let everything: SQL = "SELECT key, firstUsedAt FROM edgeNode ORDER BY firstUsedAt, key"
  fileprivate static let clearing: SQL = "DELETE FROM edgeNode WHERE 1"
  fileprivate static let insertion: SQL = "INSERT INTO edgeNode (key, firstUsedAt) VALUES (?, ?)"
}

/// A path through the network that was in use.
public struct PathRecord: Hashable, Sendable {
  public let category: String
  /// The keys of its nodes, the first one first.
  public let nodes: [[UInt8]]

  public init(_ category: String, nodes: [[UInt8]]) {
    self.category = category
    self.nodes = nodes
  }

  fileprivate static let everything: SQL = "SELECT path, key, category FROM pathNode ORDER BY path, position"
  fileprivate static let clearing: SQL = "DELETE FROM pathNode WHERE 1"
  fileprivate static let insertion: SQL =
    "INSERT INTO pathNode (path, position, key, category) VALUES (?, ?, ?, ?)"
}

extension Reading where Self: ~Copyable {
  public func nodes() throws(StorageError) -> [NetworkNodeRecord] { try all(NetworkNodeRecord.everything) }
  public func nodeStrikes() throws(StorageError) -> [NodeStrike] { try all(NodeStrike.everything) }
  public func edgeNodes() throws(StorageError) -> [EdgeNode] { try all(EdgeNode.everything) }

  public func paths() throws(StorageError) -> [PathRecord] {
    var paths: [PathRecord] = []
    var last: Int?
    try forEach(PathRecord.everything) { (row) throws(StorageError) in
      let number: Int = try row[0]
      let key: [UInt8] = try row[1]
      let before = number == last ? paths.popLast()?.nodes ?? [] : []
      paths.append(PathRecord(try row[2], nodes: before + [key]))
      last = number
      return true
    }
    return paths
  }
}

extension WriteTransaction {
  /// Replaces the list of nodes.
  public func setNodes(_ nodes: [NetworkNodeRecord]) throws(StorageError) {
    try run(NetworkNodeRecord.clearing)
    for n in nodes {
      try run(
        NetworkNodeRecord.insertion, n.key, n.curveKey, n.host, n.httpsPort, n.quicPort,
        Int64(bitPattern: n.swarm),
        n.version)
    }
    note(.updated, .nodes)
  }

  public func put(_ strike: NodeStrike) throws(StorageError) {
    try put(NodeStrike.change, or: NodeStrike.insertion, strike.count, strike.at, strike.key)
  }

  public func deleteNodeStrikes(before time: Int64) throws(StorageError) { try run(NodeStrike.expiry, time) }

  public func setEdgeNodes(_ nodes: [EdgeNode]) throws(StorageError) {
    try run(EdgeNode.clearing)
    for node in nodes { try run(EdgeNode.insertion, node.key, node.firstUsedAt) }
  }

  public func setPaths(_ paths: [PathRecord]) throws(StorageError) {
    try run(PathRecord.clearing)
    for (number, path) in paths.enumerated() {
      for (position, node) in path.nodes.enumerated() {
        try run(PathRecord.insertion, number, position, node, path.category)
      }
    }
    note(.updated, .nodes)
  }
}
