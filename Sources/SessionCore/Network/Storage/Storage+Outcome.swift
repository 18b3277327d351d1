internal import CSessionCore

extension Storage {
  /// The result of a request that a whole swarm carries out: what each node did, as proven by its signature.
  ///
  /// A reply with an invalid signature throws `storageNodeSignature`. Nodes that are not known to be in the swarm are
  /// ignored.
  public struct Outcome<Success: Sendable>: Sendable {
    /// One node of the swarm.
    public struct Member: Sendable {
      /// Its Ed25519 key.
      public let node: [UInt8]
      public let result: Result<Success, MemberFailure>
    }

    public let members: [Member]
    /// The keys of the swarm's nodes that are not in the reply.
    public let missing: [[UInt8]]
    /// True if enough nodes did it: half for storing, one for deleting, all for the rest.
    public let isEnough: Bool

    /// The number of known nodes in the swarm.
    public var swarmSize: Int { members.count + missing.count }

    /// The results of the nodes that succeeded.
    public var successes: [Success] { members.compactMap { try? $0.result.get() } }

    /// The nodes that failed, with the reason; nodes missing from the reply are not included.
    public var failures: [(node: [UInt8], reason: MemberFailure)] {
      members.compactMap { member in
        guard case .failure(let reason) = member.result else { return nil }
        return (member.node, reason)
      }
    }
  }

  /// Why a node of a swarm failed, according to the node that was asked.
  public enum MemberFailure: Error, Hashable, Sendable {
    case timedOut
    case badReply
    case database
    case refused(code: Int, reason: String)
  }

  /// A message that was deleted, or has a new expiry.
  public struct Change: Hashable, Sendable {
    public let hash: String
    /// Its namespace, if the request was about all namespaces.
    public let namespace: StorageNamespace?
    /// Its new expiry, if the request was about that.
    public let expiry: MessageTime?
  }
}

extension Storage.Reading {
  /// Returns the outcome after checking all signatures that count.
  func outcome<Success>(
    _ success: (sc_storage_member) throws(SessionError) -> Success
  ) throws(SessionError) -> Storage.Outcome<Success> {
    var tally = sc_storage_tally()
    try Storage.Keepers.lend(keepers) { (keepers) throws(SessionError) in
      try Core.call { sc_storage_reply_verify(&tally, nil, request, reply, keepers) }
    }
    let swarm = keepers?.keys ?? []
    var missing = Set(swarm)
    var members: [Storage.Outcome<Success>.Member] = []
    for member in UnsafeBufferPointer(
      start: reply.pointee.of.members.list, count: reply.pointee.of.members.count)
    {
      let node = array(member.node)
      guard keepers == nil || missing.remove(node) != nil else { continue }
      members.append(.init(node: node, result: try member.result(success)))
    }
    return Storage.Outcome(
      members: members, missing: swarm.filter(missing.contains), isEnough: tally.enough)
  }
}

extension sc_storage_member {
  fileprivate func result<Success>(
    _ success: (sc_storage_member) throws(SessionError) -> Success
  ) throws(SessionError) -> Result<Success, Storage.MemberFailure> {
    guard failed else { return .success(try success(self)) }
    if timed_out { return .failure(.timedOut) }
    if bad_peer_response { return .failure(.badReply) }
    if query_failure { return .failure(.database) }
    return .failure(.refused(code: Int(code), reason: reason.string))
  }
}

extension Storage.Change {
  /// Returns all changes of a list, checking the fields that the request requires.
  static func all(
    _ changes: sc_storage_changes, hasNamespace: Bool = false, hasExpiry: Bool = false
  ) throws(SessionError) -> [Storage.Change] {
    try UnsafeBufferPointer(start: changes.list, count: changes.count)
      .map { (change) throws(SessionError) in
        Storage.Change(
          hash: change.hash.string,
          namespace: hasNamespace ? StorageNamespace(rawValue: change.number) : nil,
          expiry: hasExpiry ? try MessageTime(stored: change.expiry) : nil)
      }
  }
}

extension MessageTime {
  /// Parses a time from a node; an invalid one makes the reply invalid.
  package init(stored milliseconds: UInt64) throws(SessionError) {
    guard let time = try? MessageTime(milliseconds: milliseconds) else {
      throw SessionError(SC_ERR_STORAGE_REPLY)
    }
    self = time
  }
}
