/// A request to the swarm of an owner that goes before its configs, in the same sequence.
///
/// It is written in the transaction of the edit that it belongs to, so that no push overtakes it, and deleted in the one
/// that confirms it.
public struct SwarmStepRecord: Record, Hashable {
  public typealias ID = RowID<SwarmStepRecord>

  public enum Kind: String, Sendable, CaseIterable, DatabaseValue {
    case unrevoke, revoke, store, delete
  }

  /// The request to the swarm.
  public struct Request: Hashable, Sendable {
    public let kind: Kind
    /// The namespace that stores a message; nil for other kinds.
    public let namespace: Int?
    /// How long a message is stored, in milliseconds; nil for other kinds.
    public let lifetime: Int64?
    /// The message to store; for other kinds the tokens or hashes, one after the other.
    public let payload: [UInt8]

    public init(_ kind: Kind, payload: [UInt8], namespace: Int? = nil, lifetime: Int64? = nil) {
      self.kind = kind
      self.namespace = namespace
      self.lifetime = lifetime
      self.payload = payload
    }
  }

  public let id: ID
  /// Whose swarm it is: an account or a group.
  public let owner: String
  /// The first row of those that were written together. Never given twice, so that jobs can wait for it.
  public let batch: ID
  public let request: Request
  public let createdAt: Int64

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    owner = try row[1]
    batch = try row[2]
    request = Request(try row[3], payload: try row[4], namespace: try row[5], lifetime: try row[6])
    createdAt = try row[7]
  }

  fileprivate static let byOwner: SQL = """
    SELECT id, owner, batch, kind, payload, namespace, lifetime, createdAt FROM swarmStep WHERE owner = ? ORDER BY id
    """
  fileprivate static let ofBatch: SQL = "SELECT 1 FROM swarmStep WHERE owner = ? AND batch = ?"
  fileprivate static let insertion: SQL = """
    INSERT INTO swarmStep (owner, batch, kind, payload, namespace, lifetime, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)
    """
  fileprivate static let beginning: SQL = "UPDATE swarmStep SET batch = id WHERE id = ?"
  fileprivate static let deletion: SQL = "DELETE FROM swarmStep WHERE id = ?"
  fileprivate static let batchDeletion: SQL = "DELETE FROM swarmStep WHERE owner = ? AND batch = ?"
  fileprivate static let ownerDeletion: SQL = "DELETE FROM swarmStep WHERE owner = ?"
}

extension Reading where Self: ~Copyable {
  /// The steps that wait for the next push of an owner, in their order.
  public func swarmSteps(of owner: String) throws(StorageError) -> [SwarmStepRecord] {
    try all(SwarmStepRecord.byOwner, owner)
  }

  /// True if steps of a batch still wait.
  public func hasSwarmSteps(
    ofBatch batch: SwarmStepRecord.ID, of owner: String
  ) throws(StorageError) -> Bool {
    try exists(SwarmStepRecord.ofBatch, owner, batch)
  }
}

extension WriteTransaction {
  /// Adds steps behind all others of an owner. Returns the number of the batch; nil if there are none.
  @discardableResult
  public func insertSwarmSteps(
    _ requests: [SwarmStepRecord.Request], of owner: String, at now: Int64
  ) throws(StorageError) -> SwarmStepRecord.ID? {
    var batch: SwarmStepRecord.ID?
    for request in requests {
      let id = SwarmStepRecord.ID(
        rawValue: try insert(
          SwarmStepRecord.insertion, owner, batch ?? SwarmStepRecord.ID(rawValue: 0), request.kind,
          request.payload, request.namespace, request.lifetime, now))
      guard batch == nil else { continue }
      try run(SwarmStepRecord.beginning, id)
      batch = id
    }
    return batch
  }

  /// Deletes steps that are done. Returns the batches of which nothing is left, in their order.
  @discardableResult
  public func deleteSwarmSteps(_ steps: [SwarmStepRecord]) throws(StorageError) -> [SwarmStepRecord.ID] {
    for step in steps { try run(SwarmStepRecord.deletion, step.id) }
    var owners: [SwarmStepRecord.ID: String] = [:]
    for step in steps { owners[step.batch] = step.owner }
    var done: [SwarmStepRecord.ID] = []
    for (batch, owner) in owners where try !hasSwarmSteps(ofBatch: batch, of: owner) {
      done.append(batch)
    }
    return done.sorted()
  }

  /// Drops what is left of a batch that a swarm refuses.
  public func deleteSwarmSteps(
    ofBatch batch: SwarmStepRecord.ID, of owner: String
  ) throws(StorageError) {
    try run(SwarmStepRecord.batchDeletion, owner, batch)
  }

  public func deleteSwarmSteps(of owner: String) throws(StorageError) {
    try run(SwarmStepRecord.ownerDeletion, owner)
  }
}
