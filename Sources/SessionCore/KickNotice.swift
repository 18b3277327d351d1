internal import CSessionCore

/// Tells members that they were removed from a group: anyone can fetch it, but each account can only see whether it
/// concerns itself.
public struct KickNotice: Hashable, Sendable {
  /// The lifetime requested from the swarm, in milliseconds.
  public static let timeToLive: UInt64 = 30 * 24 * 60 * 60 * 1000

  /// The generation of the group's last key for the removed members. A notice about keys older than one's own is
  /// outdated.
  public let generation: UInt64

  public init(generation: UInt64) {
    self.generation = generation
  }
}

extension GroupAdminKey {
  /// Seals a notice for account ids.
  public func seal(_ notice: KickNotice, for members: [SessionID]) throws(SessionError) -> [UInt8] {
    let ids = members.map(\.core)
    return try Core.withWiped(sc_keypair.self) { (group) throws(SessionError) in
      seed.withCore { sc_keypair_from_seed(group, $0.ptr) }
      return try Core.bytes { sc_kick_seal($0, nil, group, ids, ids.count, notice.generation) }
    }
  }
}

extension Account {
  /// Opens a notice of a group that this account was removed from.
  ///
  /// ``SessionError/Code/noKey`` means that it concerns others.
  public func open(
    kickNotice sealed: some Collection<UInt8>, ofGroup group: SessionID
  ) throws(SessionError) -> KickNotice {
    try group.require(.group)
    var id = group.core
    return try withKeys { (keys) throws(SessionError) in
      try sealed.lend { (sealed) throws(SessionError) in
        var generation: UInt64 = 0
        try Core.call { sc_kick_open(&generation, nil, keys, &id, sealed) }
        return KickNotice(generation: generation)
      }
    }
  }
}
