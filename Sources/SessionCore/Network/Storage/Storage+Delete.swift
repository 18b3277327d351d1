internal import CSessionCore

extension Storage {
  /// Which namespaces of an account a request is about.
  public enum Scope: Hashable, Sendable {
    case one(StorageNamespace)
    case all
  }

  /// Has a swarm delete messages.
  public struct Delete: Request {
    public let hashes: [String]
    /// True if it counts as not enough when no node had any of them.
    public let mustFindSome: Bool
    private let signer: Signer

    public init(_ hashes: [String], as signer: Signer, mustFindSome: Bool = false) {
      self.hashes = hashes
      self.signer = signer
      self.mustFindSome = mustFindSome
    }

    /// What each node deleted: those hashes that it had.
    public var call: Call<Outcome<[String]>> {
      Call { (loan, _) throws(SessionError) in
        try sc_storage_request(SC_STORAGE_DELETE, as: signer) { request in
          request.of.deletion = sc_storage_deletion(hashes: loan.hashes(hashes), required: mustFindSome)
        }
      } read: { (reading) throws(SessionError) in
        let outcome = try reading.outcome(.one) { (member) throws(SessionError) in
          try Change.all(member.changed).map(\.hash)
        }
        return mustFindSome ? outcome.insisting { !$0.isEmpty } : outcome
      }
    }
  }

  /// Has a swarm delete all messages.
  public struct DeleteAll: Request {
    public let scope: Scope
    private let signer: Signer

    public init(_ scope: Scope, as signer: Signer) {
      self.scope = scope
      self.signer = signer
    }

    public var call: Call<Outcome<[Change]>> {
      Call { (_, now) throws(SessionError) in
        try sc_storage_request(SC_STORAGE_DELETE_ALL, as: signer) { request in
          request.of.sweep = sc_storage_sweep(where: scope.core, time: now)
        }
      } read: { (reading) throws(SessionError) in
        try reading.outcome(.one) { (member) throws(SessionError) in
          try Change.all(member.changed, hasNamespace: scope == .all)
        }
      }
    }
  }
}

extension Storage.Outcome {
  /// The same; it is enough only if one of the deeds passes.
  fileprivate func insisting(_ isDone: (Deed) -> Bool) -> Self {
    Self(members: members, missing: missing, isEnough: isEnough && deeds.contains(where: isDone))
  }
}

extension Storage.Scope {
  fileprivate var core: sc_storage_namespace {
    switch self {
    case .one(let namespace): sc_storage_namespace(number: namespace.rawValue, all: false)
    case .all: sc_storage_namespace(number: 0, all: true)
    }
  }
}
