internal import CSessionCore

extension Storage {
  /// The namespaces of an account that a request is about.
  public enum Scope: Hashable, Sendable {
    case one(StorageNamespace)
    case all
  }

  /// Deletes messages from a swarm.
  public struct Delete: Request {
    public let hashes: [String]
    /// True if the request fails when no node had any of them.
    public let mustFindSome: Bool
    private let signer: Signer

    public init(_ hashes: [String], as signer: Signer, mustFindSome: Bool = false) {
      self.hashes = hashes
      self.signer = signer
      self.mustFindSome = mustFindSome
    }

    /// The hashes that each node had and deleted.
    public var call: Call<Outcome<[String]>> {
      Call(SC_STORAGE_DELETE, about: signer.account, as: signer) { request, loan, _ in
        request.of.deletion = sc_storage_deletion(hashes: loan.hashes(hashes), required: mustFindSome)
      } read: { (reading) throws(SessionError) in
        let outcome = try reading.outcome { (member) throws(SessionError) in
          try Change.all(member.changed).map(\.hash)
        }
        let isEnough = !mustFindSome || outcome.successes.contains { !$0.isEmpty }
        return Outcome(
          members: outcome.members, missing: outcome.missing, isEnough: outcome.isEnough && isEnough)
      }
    }
  }

  /// Deletes all messages from a swarm.
  public struct DeleteAll: Request {
    public let scope: Scope
    private let signer: Signer

    public init(_ scope: Scope, as signer: Signer) {
      self.scope = scope
      self.signer = signer
    }

    public var call: Call<Outcome<[Change]>> {
      Call(SC_STORAGE_DELETE_ALL, as: signer) { request, _, now in
        request.of.sweep = sc_storage_sweep(where: scope.core, time: now)
      } success: { (member) throws(SessionError) in
        try Change.all(member.changed, hasNamespace: scope == .all)
      }
    }
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
