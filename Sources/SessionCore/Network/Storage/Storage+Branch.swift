internal import CSessionCore

extension Storage {
  /// What a node checks before it does one thing or another. All that is said has to hold.
  public struct Conditions: Hashable, Sendable {
    public var forkAtLeast, forkBefore: Network.Fork?
    public var versionAtLeast, versionBefore: ServiceNode.Version?
    public var heightAtLeast, heightBefore: UInt64?

    public init() {}
  }

  /// Has a node do one thing if conditions hold, and another if they do not. It goes to a node at random unless one is
  /// named; ask ``Network/swarm(of:)`` for one that keeps an account.
  public struct Branch<Then: Request, Otherwise: Request>: Request {
    public let conditions: Conditions
    public let then: Then?
    public let otherwise: Otherwise?

    public init(if conditions: Conditions, then: Then, otherwise: Otherwise) {
      (self.conditions, self.then, self.otherwise) = (conditions, then, otherwise)
    }

    public init(if conditions: Conditions, then: Then) where Otherwise == Never {
      (self.conditions, self.then, otherwise) = (conditions, then, nil)
    }

    public init(unless conditions: Conditions, do otherwise: Otherwise) where Then == Never {
      (self.conditions, then, self.otherwise) = (conditions, nil, otherwise)
    }

    public var call: Call<BranchResult<Then.Reply, Otherwise.Reply>> {
      Call { (loan, time) throws(SessionError) in
        var branch = sc_storage_request(SC_STORAGE_BRANCH)
        branch.of.branch.conditions = conditions.core
        if let then { branch.of.branch.then = loan.value(try then.call.write(loan, time)) }
        if let otherwise { branch.of.branch.otherwise = loan.value(try otherwise.call.write(loan, time)) }
        return branch
      } read: { reading in
        let outcome = reading.reply.pointee.of.outcome
        let branch = reading.request.pointee.of.branch
        var result = BranchResult<Then.Reply, Otherwise.Reply>(
          held: outcome.condition, height: outcome.height, version: ServiceNode.Version(outcome.version))
        if outcome.condition, let then, let core = outcome.result {
          result.then = reading.result(core.pointee, to: branch.then, then.call.read)
        } else if !outcome.condition, let otherwise, let core = outcome.result {
          result.otherwise = reading.result(core.pointee, to: branch.otherwise, otherwise.call.read)
        }
        return result
      }
    }
  }

  /// What a node did after it had checked conditions.
  public struct BranchResult<Then: Sendable, Otherwise: Sendable>: Sendable {
    /// True if they held.
    public let held: Bool
    /// The height of the chain, and the version of the node, that it checked them with.
    public let height: UInt64
    public let version: ServiceNode.Version
    /// What came of what was to be done, if there was anything.
    public fileprivate(set) var then: Result<Then, SessionError>?
    public fileprivate(set) var otherwise: Result<Otherwise, SessionError>?

    fileprivate init(held: Bool, height: UInt64, version: ServiceNode.Version) {
      (self.held, self.height, self.version) = (held, height, version)
    }
  }
}

/// What is never asked: the branch that does nothing.
extension Never: Storage.Request {
  public var call: Storage.Call<Never> {
    switch self {}
  }
}

extension Storage.Conditions {
  /// True if they hold at a node.
  public func hold(fork: [UInt16], version: [UInt16], height: UInt64) -> Bool {
    func isBefore(_ a: [UInt16], _ b: [UInt16]) -> Bool { a.lexicographicallyPrecedes(b) }
    return forkAtLeast.map { !isBefore(fork, $0.parts) } ?? true
      && forkBefore.map { isBefore(fork, $0.parts) } ?? true
      && versionAtLeast.map { !isBefore(version, $0.parts) } ?? true
      && versionBefore.map { isBefore(version, $0.parts) } ?? true
      && heightAtLeast.map { height >= $0 } ?? true
      && heightBefore.map { height < $0 } ?? true
  }
}

extension Network.Fork {
  fileprivate var parts: [UInt16] { [major, revision] }
}

extension ServiceNode.Version {
  fileprivate var parts: [UInt16] { [major, minor, patch] }
}

extension Storage.Conditions {
  fileprivate var core: sc_storage_conditions {
    var core = sc_storage_conditions()
    if let fork = forkAtLeast {
      (core.has_fork_at_least, core.fork_at_least) = (true, (fork.major, fork.revision))
    }
    if let fork = forkBefore {
      (core.has_fork_before, core.fork_before) = (true, (fork.major, fork.revision))
    }
    if let version = versionAtLeast {
      (core.has_version_at_least, core.version_at_least) = (true, version.core)
    }
    if let version = versionBefore { (core.has_version_before, core.version_before) = (true, version.core) }
    if let height = heightAtLeast { (core.has_height_at_least, core.height_at_least) = (true, height) }
    if let height = heightBefore { (core.has_height_before, core.height_before) = (true, height) }
    return core
  }

  init(_ core: sc_storage_conditions) {
    if core.has_fork_at_least { forkAtLeast = Network.Fork(core.fork_at_least.0, core.fork_at_least.1) }
    if core.has_fork_before { forkBefore = Network.Fork(core.fork_before.0, core.fork_before.1) }
    if core.has_version_at_least { versionAtLeast = ServiceNode.Version(core.version_at_least) }
    if core.has_version_before { versionBefore = ServiceNode.Version(core.version_before) }
    if core.has_height_at_least { heightAtLeast = core.height_at_least }
    if core.has_height_before { heightBefore = core.height_before }
  }
}
