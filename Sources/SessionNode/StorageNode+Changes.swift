import SessionCore
import SessionNodeCore

/// The longest that an expiry may lie ahead.
private let longestLife: UInt64 = 30 * 86_400_000

extension StorageNode {
  /// Carries out this node's share of a request to all members of the swarm.
  func change(
    _ request: StorageRequest, _ arrival: Arrival, mayOnlyExtend: Bool
  ) async throws -> SwarmMember.Success {
    var success = SwarmMember.Success()
    let account = request.account
    let late: UInt64? = if case .late(let time) = arrival { time } else { nil }
    switch request.action {
    case .store(let namespace, let timestamp, let expiry, let data):
      let stored = try await store.store(
        data, of: account, namespace: namespace, timestamp: timestamp, expiry: expiry, requestedAt: late)
      (success.hash, success.expiry, success.isAlready) = (stored.hash, stored.expiry, !stored.isNew)
      guard stored.isNew else { break }
      let message = StoredMessage(hash: stored.hash, timestamp: timestamp, expiry: expiry, data: data)
      announce(message, of: account, namespace: namespace)
    case .delete(let hashes, _):
      success.changed = try await store.delete(hashes, of: account, requestedAt: late ?? now)
    case .deleteAll(let namespace):
      // One that comes late must not take what was stored since.
      let latest = late == nil ? .max : request.deletesUpTo
      success.changed = try await store.deleteAll(
        of: account, namespace: namespace, notAfter: latest, requestedAt: late ?? now)
    case .deleteBefore(let namespace, let time):
      success.changed = try await store.deleteAll(
        of: account, namespace: namespace, notAfter: time, requestedAt: late ?? now)
    case .expireAll(let namespace, let expiry):
      success.changed = try await store.expireAll(of: account, namespace: namespace, expiry: expiry)
    case .expire(let hashes, let expiries, let mode):
      let latest = now + longestLife
      let expiries = expiries.map { min($0, latest) }
      let (updated, unchanged) = try await store.expire(
        hashes, of: account, expiries: expiries, mode: mayOnlyExtend ? .extend : mode)
      // Without a flag, nothing is said of what a member may not shorten.
      (success.changed, success.unchanged) = (updated, mode == .set ? [] : unchanged)
      if expiries.count == 1 { success.expiry = expiries[0] }
    case .revoke(let tokens):
      try await store.revoke(tokens, of: account, requestedAt: late ?? now)
      subscriptions.remove(of: account) { $0.subaccount.map(tokens.contains) ?? false }
    case .unrevoke(let tokens):
      success.count = UInt64(try await store.unrevoke(tokens, of: account))
    default:
      throw NodeRefusal.failed
    }
    return success
  }
}
