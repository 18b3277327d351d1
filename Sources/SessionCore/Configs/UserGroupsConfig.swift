internal import CSessionCore

/// The groups and communities an account is in.
public struct UserGroupsConfig: ~Copyable {
  package let handle: ConfigHandle

  package init(_ account: Account, dump: [UInt8]) throws(SessionError) {
    handle = try ConfigHandle(
      config: sc_user_groups_config, free: sc_user_groups_free, account: account, dump: dump,
      make: sc_user_groups_new)
  }

  // MARK: Groups

  public subscript(id: SessionID) -> Group? {
    get throws(SessionError) {
      try Records.one(
        get: { group in id.withCore { sc_user_groups_get_group(group, handle.object, $0) } }, as: Group.init)
    }
  }

  /// All groups, in ascending order of their ids.
  public func groups() throws(SessionError) -> [Group] {
    try Records.all(
      first: { sc_user_groups_first_group($0, handle.object) },
      next: { sc_user_groups_next_group($0, handle.object) }, as: Group.init)
  }

  /// Changes a group, or adds one. Does nothing if nothing changes.
  public mutating func update(_ id: SessionID, _ change: (inout Group) -> Void) throws(SessionError) {
    try Records.update(
      get: { group in id.withCore { sc_user_groups_get_or_make_group(group, handle.object, $0) } },
      set: { sc_user_groups_set_group(handle.object, $0) }, as: Group.init, change)
  }

  /// Leaves a group on all devices. Returns true if there was one.
  @discardableResult
  public mutating func remove(_ id: SessionID) throws(SessionError) -> Bool {
    try Records.erase { erased in id.withCore { sc_user_groups_erase_group(&erased, handle.object, $0) } }
  }

  // MARK: Communities

  public subscript(place: Community.Place) -> Community? {
    get throws(SessionError) {
      try place.lend { (server, room) throws(SessionError) in
        try Records.one(
          get: { sc_user_groups_get_community($0, handle.object, server, room) }, as: Community.init)
      }
    }
  }

  /// All communities, by server and then by room.
  public func communities() throws(SessionError) -> [Community] {
    try Records.all(
      first: { sc_user_groups_first_community($0, handle.object) },
      next: { sc_user_groups_next_community($0, handle.object) }, as: Community.init)
  }

  /// Changes a community, or joins one.
  ///
  /// A known server keeps its key: if the link has another one, the user must decide, and
  /// ``SessionError/Code/keyMismatch`` is thrown unless `replacesKey`.
  public mutating func update(
    _ link: CommunityLink, replacesKey: Bool = false, _ change: (inout Membership) -> Void
  ) throws(SessionError) {
    try link.lend { (server, room) throws(SessionError) in
      var stored = sc_user_community()
      try SessionError.check(
        sc_user_groups_get_or_make_community(&stored, handle.object, server, room, link.serverKey))
      if stored.other_key {
        guard replacesKey else { throw SessionError(SC_ERR_KEY_MISMATCH) }
        fill(&stored.community.key, with: link.serverKey)
      }
      var membership = Membership(stored.membership)
      change(&membership)
      stored.membership = membership.core
      try SessionError.check(sc_user_groups_set_community(handle.object, &stored))
    }
  }

  /// Leaves a community on all devices. Returns true if there was one.
  @discardableResult
  public mutating func remove(_ place: Community.Place) throws(SessionError) -> Bool {
    try place.lend { (server, room) throws(SessionError) in
      try Records.erase { sc_user_groups_erase_community(&$0, handle.object, server, room) }
    }
  }

  // MARK: Legacy groups

  public func legacyGroup(_ id: SessionID) throws(SessionError) -> LegacyGroup? {
    try Records.one(
      get: { group in id.withCore { sc_user_groups_get_legacy_group(group, handle.object, $0) } },
      as: LegacyGroup.init)
  }
}
