internal import CSessionCore
public import SessionCore

/// The action of a request. Times are milliseconds since 1970; a nil namespace means all.
public enum StorageAction: Sendable {
  case store(namespace: Int16, timestamp: UInt64, expiry: UInt64, data: [UInt8])
  /// Messages after `lastHash`, up to a count and a size as nodes measure it.
  case retrieve(namespace: Int16, lastHash: String, maxCount: UInt64, budget: UInt64)
  case delete(hashes: [String], isRequired: Bool)
  case deleteAll(namespace: Int16?)
  case deleteBefore(namespace: Int16?, time: UInt64)
  /// One expiry for all hashes, or one for each.
  case expire(hashes: [String], expiries: [UInt64], mode: Storage.Expire.Mode)
  case expireAll(namespace: Int16?, expiry: UInt64)
  case getExpiries(hashes: [String])
  case revoke(tokens: [[UInt8]])
  case unrevoke(tokens: [[UInt8]])
  case revoked
  case getSwarm
  case serviceNodes(isActiveOnly: Bool, limit: UInt64, pollBlockHash: String)
  case name
  case info
  case activeNodes
  case batch([StorageRequest])
  case sequence([StorageRequest])
  case branch(Storage.Conditions, then: StorageRequest?, otherwise: StorageRequest?)
}

extension Storage {
  /// The conditions that a node checks to choose between two actions. All must hold.
  // Sendable without the compiler's check: a plain value of C without pointers.
  public struct Conditions: @unchecked Sendable {
    fileprivate let core: sc_storage_conditions

    /// True if the conditions hold at a node.
    public func hold(fork: [UInt16], version: [UInt16], height: UInt64) -> Bool {
      let (leastFork, leastVersion) = (core.fork_at_least, core.version_at_least)
      let (otherFork, otherVersion) = (core.fork_before, core.version_before)
      func isBefore(_ a: [UInt16], _ b: [UInt16]) -> Bool { a.lexicographicallyPrecedes(b) }
      return !(core.has_fork_at_least && isBefore(fork, [leastFork.0, leastFork.1]))
        && !(core.has_fork_before && !isBefore(fork, [otherFork.0, otherFork.1]))
        && !(core.has_version_at_least
          && isBefore(version, [leastVersion.0, leastVersion.1, leastVersion.2]))
        && !(core.has_version_before
          && !isBefore(version, [otherVersion.0, otherVersion.1, otherVersion.2]))
        && !(core.has_height_at_least && height < core.height_at_least)
        && !(core.has_height_before && height >= core.height_before)
    }
  }
}

extension StorageRequest {
  /// The action, copied.
  public var action: StorageAction {
    let of = core.pointee.of
    switch core.pointee.method {
    case SC_STORAGE_STORE:
      return .store(
        namespace: of.store.number, timestamp: of.store.timestamp, expiry: of.store.expiry,
        data: Array(of.store.data.content))
    case SC_STORAGE_RETRIEVE:
      let budget = withUnsafePointer(to: of.retrieve) { sc_storage_retrieve_budget($0) }
      return .retrieve(
        namespace: of.retrieve.number, lastHash: of.retrieve.last_hash.string,
        maxCount: of.retrieve.max_count,
        budget: budget)
    case SC_STORAGE_DELETE:
      return .delete(hashes: of.deletion.hashes.texts, isRequired: of.deletion.required)
    case SC_STORAGE_DELETE_ALL: return .deleteAll(namespace: of.sweep.where.value)
    case SC_STORAGE_DELETE_BEFORE:
      return .deleteBefore(namespace: of.sweep.where.value, time: of.sweep.time)
    case SC_STORAGE_EXPIRE:
      let expiries = UnsafeBufferPointer(start: of.expire.expiries, count: of.expire.expiry_count)
      return .expire(
        hashes: of.expire.hashes.texts, expiries: Array(expiries), mode: of.expire.mode.value)
    case SC_STORAGE_EXPIRE_ALL: return .expireAll(namespace: of.sweep.where.value, expiry: of.sweep.time)
    case SC_STORAGE_GET_EXPIRIES: return .getExpiries(hashes: of.expiries.hashes.texts)
    case SC_STORAGE_REVOKE: return .revoke(tokens: of.tokens.values)
    case SC_STORAGE_UNREVOKE: return .unrevoke(tokens: of.tokens.values)
    case SC_STORAGE_REVOKED: return .revoked
    case SC_STORAGE_GET_SWARM: return .getSwarm
    default: return actionWithoutAccount
    }
  }

  private var actionWithoutAccount: StorageAction {
    let of = core.pointee.of
    switch core.pointee.method {
    case SC_STORAGE_SERVICE_NODES:
      return .serviceNodes(
        isActiveOnly: of.service_nodes.active_only, limit: of.service_nodes.limit,
        pollBlockHash: of.service_nodes.poll_block_hash.string)
    case SC_STORAGE_NAME: return .name
    case SC_STORAGE_INFO: return .info
    case SC_STORAGE_BATCH: return .batch(requests)
    case SC_STORAGE_SEQUENCE: return .sequence(requests)
    case SC_STORAGE_BRANCH:
      return .branch(
        Storage.Conditions(core: of.branch.conditions),
        then: of.branch.then.map { StorageRequest(in: call, $0) },
        otherwise: of.branch.otherwise.map { StorageRequest(in: call, $0) })
    default: return .activeNodes
    }
  }

  private var requests: [StorageRequest] {
    let batch = core.pointee.of.batch
    return (0..<batch.count).compactMap { index in batch.requests.map { StorageRequest(in: call, $0 + index) }
    }
  }
}

extension sc_storage_hashes {
  fileprivate var texts: [String] { UnsafeBufferPointer(start: list, count: count).map(\.string) }
}

extension sc_storage_expire_mode {
  fileprivate var value: Storage.Expire.Mode {
    guard let mode = Storage.Expire.Mode(rawValue: rawValue) else {
      preconditionFailure("the core gave an unknown value")
    }
    return mode
  }
}

extension sc_storage_namespace {
  fileprivate var value: Int16? { all ? nil : number }
}

extension sc_storage_tokens {
  fileprivate var values: [[UInt8]] {
    UnsafeBufferPointer(start: list, count: count).map { array($0) }
  }
}
