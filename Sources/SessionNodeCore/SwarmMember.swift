internal import CSessionCore
public import SessionCore

/// The result of one node of a swarm.
public struct SwarmMember: Sendable {
  /// Its Ed25519 key.
  public let node: [UInt8]
  public var outcome: Outcome

  public enum Outcome: Sendable {
    case done(Success, signature: [UInt8])
    case timedOut
    case refused(code: Int, reason: String)
    case badResponse
    /// Its database failed.
    case queryFailure
  }

  /// The details of a success; most methods use only some of the fields.
  public struct Success: Sendable {
    public var hash = ""
    public var expiry: UInt64 = 0
    public var isAlready = false
    /// Deleted messages, or those with a new expiry; in ascending order, by namespace if there are several, then by
    /// hash.
    public var changed: [StorageChange] = []
    public var unchanged: [StorageChange] = []
    public var count: UInt64 = 0

    public init() {}
  }

  public init(node: [UInt8], _ outcome: Outcome) {
    self.node = node
    self.outcome = outcome
  }

  /// Creates a result signed by this node.
  public init(_ success: Success, for request: StorageRequest, by keys: NodeKeys) throws(SessionError) {
    let loan = CoreArena()
    var member = success.core(loan)
    try Core.call {
      keys.withPair { pair in
        withUnsafePointer(to: pair.pointee.ed) { sc_storage_member_sign(&member, nil, request.core, $0) }
      }
    }
    withExtendedLifetime(loan) {}
    node = array(member.node)
    outcome = .done(success, signature: array(member.signature))
  }

  public var hasFailed: Bool {
    if case .done = outcome { false } else { true }
  }

  /// Parses the reply of another node of the swarm to a forwarded request.
  public init(node: [UInt8], repliedTo request: StorageRequest, with body: [UInt8]) {
    self.node = node
    outcome = .badResponse
    var parsed = sc_storage_parsed_reply()
    body.withUnsafeBufferPointer { body in
      guard sc_storage_reply_parse(&parsed, nil, request.core, sc_bytes(body)) == SC_OK else { return }
      let members = parsed.reply.of.members
      if members.count == 1, let member = members.list?.pointee, array(member.node) == node {
        outcome = Self.outcome(member)
      }
      sc_storage_parsed_reply_free(&parsed)
    }
  }

  private static func outcome(_ member: sc_storage_member) -> Outcome {
    guard !member.failed else { return member.query_failure ? .queryFailure : .badResponse }
    var success = Success()
    success.hash = member.hash.string
    success.expiry = member.expiry
    success.isAlready = member.already
    success.changed = member.changed.values
    success.unchanged = member.unchanged.values
    success.count = member.count
    return .done(success, signature: array(member.signature))
  }
}

extension SwarmMember {
  func core(_ loan: CoreArena) -> sc_storage_member {
    var member = sc_storage_member()
    member.failed = true
    switch outcome {
    case .done(let success, let signature):
      member = success.core(loan)
      fill(&member.signature, with: signature)
    case .timedOut: member.timed_out = true
    case .refused(let code, let reason):
      member.code = Int32(clamping: code)
      member.reason = loan.text(reason)
    case .badResponse: member.bad_peer_response = true
    case .queryFailure: member.query_failure = true
    }
    fill(&member.node, with: node)
    return member
  }
}

extension SwarmMember.Success {
  fileprivate func core(_ loan: CoreArena) -> sc_storage_member {
    var member = sc_storage_member()
    member.hash = loan.text(hash)
    member.expiry = expiry
    member.already = isAlready
    member.changed = changed.core(loan)
    member.unchanged = unchanged.core(loan)
    member.count = count
    return member
  }
}

extension [StorageChange] {
  func core(_ loan: CoreArena) -> sc_storage_changes {
    let list = map { sc_storage_change(hash: loan.text($0.hash), number: $0.namespace, expiry: $0.expiry) }
    return sc_storage_changes(list: loan.list(list), count: count)
  }
}

extension sc_storage_changes {
  fileprivate var values: [StorageChange] {
    UnsafeBufferPointer(start: list, count: count).map {
      StorageChange(hash: $0.hash.string, namespace: $0.number, expiry: $0.expiry)
    }
  }
}
