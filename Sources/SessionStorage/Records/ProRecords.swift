/// The last known state of the Pro service.
public struct ProState: Record, Hashable {
  /// The version of the list of revocations.
  public var ticket: Int64
  public var nextCheckAt: Int64
  public var status: String?
  public var expiresAt: Int64?

  public init(ticket: Int64, nextCheckAt: Int64) {
    self.ticket = ticket
    self.nextCheckAt = nextCheckAt
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    ticket = try row[0]
    nextCheckAt = try row[1]
    status = try row[2]
    expiresAt = try row[3]
  }

  fileprivate static let only: SQL = "SELECT ticket, nextCheckAt, status, expiresAt FROM proState"
  fileprivate static let change: SQL =
    "UPDATE proState SET ticket = ?, nextCheckAt = ?, status = ?, expiresAt = ?"
  fileprivate static let insertion: SQL =
    "INSERT INTO proState (id, ticket, nextCheckAt, status, expiresAt) VALUES (1, ?, ?, ?, ?)"
}

/// A proof that is not valid any more, or will not be from a time on.
public struct ProRevocation: Record, Hashable {
  public let tag: [UInt8]
  public let effectiveAt: Int64
  public let keptUntil: Int64

  public init(_ tag: [UInt8], effectiveAt: Int64, keptUntil: Int64) {
    self.tag = tag
    self.effectiveAt = effectiveAt
    self.keptUntil = keptUntil
  }

  public init(_ row: borrowing Row) throws(StorageError) {
    tag = try row[0]
    effectiveAt = try row[1]
    keptUntil = try row[2]
  }

  fileprivate static let everything: SQL =
    "SELECT tag, effectiveAt, keptUntil FROM proRevocation ORDER BY tag"
  fileprivate static let effective: SQL = "SELECT 1 FROM proRevocation WHERE tag = ? AND effectiveAt <= ?"
  fileprivate static let clearing: SQL = "DELETE FROM proRevocation WHERE 1"
  fileprivate static let insertion: SQL =
    "INSERT INTO proRevocation (tag, effectiveAt, keptUntil) VALUES (?, ?, ?)"
  fileprivate static let expiry: SQL = "DELETE FROM proRevocation WHERE keptUntil < ?"
}

extension Reading where Self: ~Copyable {
  public func proState() throws(StorageError) -> ProState? { try first(ProState.only) }
  public func proRevocations() throws(StorageError) -> [ProRevocation] { try all(ProRevocation.everything) }

  public func isRevoked(_ tag: [UInt8], at now: Int64) throws(StorageError) -> Bool {
    try exists(ProRevocation.effective, tag, now)
  }
}

extension WriteTransaction {
  public func put(_ state: ProState) throws(StorageError) {
    try put(
      ProState.change, or: ProState.insertion, state.ticket, state.nextCheckAt, state.status, state.expiresAt)
    note(.updated, .pro)
  }

  /// Replaces the list of revocations.
  public func setProRevocations(_ revocations: [ProRevocation]) throws(StorageError) {
    try run(ProRevocation.clearing)
    for revocation in revocations {
      try run(ProRevocation.insertion, revocation.tag, revocation.effectiveAt, revocation.keptUntil)
    }
    note(.updated, .pro)
  }

  @discardableResult
  public func deleteProRevocations(keptBefore time: Int64) throws(StorageError) -> Int {
    try run(ProRevocation.expiry, time)
  }
}
