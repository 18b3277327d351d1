internal import CSessionCore

/// The keys of a group in the core.
///
/// Used by one thread at a time.
package struct GroupKeys: ~Copyable {
  /// The state before an attempt, in case it is rolled back.
  private struct Before {
    var dump: [UInt8]
    let adminSeed: SecretBytes?
    let neededDump: Bool
  }

  private let group: SessionID
  private let account: Account
  private var object: OpaquePointer
  /// True if a dump is needed that the core does not know of.
  private var owesDump = false
  private var isTried = false
  private var before: Before?

  package init(
    _ group: SessionID, of account: Account, adminSeed: SecretBytes?, dump: [UInt8]
  ) throws(SessionError) {
    self.group = group
    self.account = account
    object = try Self.make(group, of: account, adminSeed: adminSeed, dump: dump)
  }

  private static func make(
    _ group: SessionID, of account: Account, adminSeed: SecretBytes?, dump: [UInt8]
  ) throws(SessionError) -> OpaquePointer {
    try account.withKeys { (keys) throws(SessionError) in
      try adminSeed.withPair { (pair) throws(SessionError) in
        try dump.lend { (dump) throws(SessionError) in
          try Core.object { object in
            group.withCore { sc_group_keys_new(object, nil, keys, $0, pair, dump) }
          }
        }
      }
    }
  }

  deinit { sc_group_keys_free(object) }

  package var isAdmin: Bool { sc_group_keys_admin(object) != nil }
  package var version: UInt64 { sc_group_keys_version(object) }
  package var needsRekey: Bool { sc_group_keys_needs_rekey(object) }
  package var needsDump: Bool { owesDump || sc_group_keys_needs_dump(object) }

  package var generation: Int64? {
    var generation: Int64 = 0
    return sc_group_keys_generation(&generation, object) ? generation : nil
  }

  /// The message to store; nil if there is none.
  package var pending: [UInt8]? {
    let message = sc_group_keys_pending(object)
    return message.len > 0 ? Array(message.content) : nil
  }

  package var activeHashes: [String] {
    (0..<sc_group_keys_active_count(object)).map { index in
      String(decoding: sc_group_keys_active(object, index).hash.content, as: UTF8.self)
    }
  }

  /// The messages that the swarm must keep, if their content is known.
  package var activeMessages: [[UInt8]] {
    (0..<sc_group_keys_active_count(object)).map { Array(sc_group_keys_active(object, $0).content.content) }
      .filter { !$0.isEmpty }
  }

  package func all() throws(SessionError) -> [SecretBytes] {
    let list = sc_group_keys_list(object)
    return try UnsafeBufferPointer(start: list.keys, count: list.count)
      .map { (key) throws(SessionError) in try SecretBytes(copying: key.content) }
  }

  package func handOn(to config: borrowing ConfigHandle, dirty: Bool) throws(SessionError) {
    try SessionError.check(sc_group_keys_hand_on(object, config.config, dirty))
  }

  package mutating func becomeAdmin(seed: SecretBytes) throws(SessionError) {
    try remember()
    try SessionError.check(seed.withCore { sc_group_keys_load_admin_key(object, $0) })
  }

  package mutating func rekey(for members: [SessionID]) throws(SessionError) {
    try remember()
    let ids = members.map(\.core)
    try SessionError.check(sc_group_keys_rekey(object, ids, ids.count))
  }

  package func supplement(for members: [SessionID]) throws(SessionError) -> [UInt8] {
    let ids = members.sorted().map(\.core)
    return try Core.bytes { sc_group_keys_supplement($0, object, ids, ids.count) }
  }

  /// Loads a message. Load messages in the order of the swarm.
  package mutating func load(_ message: ConfigMessage, at now: MessageTime) throws(SessionError) {
    try remember()
    var found = false
    try Core.lend(message.hash.utf8, message.stored) { (hash, stored) throws(SessionError) in
      try SessionError.check(
        sc_group_keys_load(&found, object, hash, stored, message.storedAt.milliseconds, now.milliseconds))
    }
  }

  package mutating func dump() throws(SessionError) -> [UInt8] {
    try remember()
    let dump = try saved()
    owesDump = false
    return dump
  }

  private func saved() throws(SessionError) -> [UInt8] {
    try Core.bytes { sc_group_keys_dump($0, object, SC_GROUP_DUMP_MESSAGES) }
  }

  package func grantAccess(to member: SessionID) throws(SessionError) -> SecretBytes {
    try adminPair().grantAccess(to: member)
  }

  package func accessToken(of member: SessionID) throws(SessionError) -> [UInt8] {
    try adminPair().accessToken(of: member)
  }

  private func adminPair() throws(SessionError) -> UnsafePointer<sc_ed25519_pair> {
    guard let pair = sc_group_keys_admin(object)?.pointer(to: \.ed) else {
      throw SessionError(SC_ERR_CONFIG_READ_ONLY)
    }
    return pair
  }
}

// MARK: - Attempts

extension GroupKeys {
  package mutating func beginAttempt() { isTried = true }

  package mutating func endAttempt() {
    before?.dump.wipe()
    before = nil
    isTried = false
  }

  /// Restores the keys to their state before the attempt.
  package mutating func rollBack() {
    if let before {
      guard let old = try? Self.make(group, of: account, adminSeed: before.adminSeed, dump: before.dump)
      else {
        preconditionFailure("there is no memory for the keys of a group")
      }
      sc_group_keys_free(object)
      object = old
      owesDump = before.neededDump
    }
    endAttempt()
  }

  /// Saves the state before the first change of an attempt.
  private mutating func remember() throws(SessionError) {
    guard isTried, before == nil else { return }
    let neededDump = needsDump
    let adminSeed = try sc_group_keys_admin(object).map { (admin) throws(SessionError) in
      try withUnsafeBytes(of: admin.pointee.ed.secret) { secret in
        Result { () throws(SessionError) in
          try SecretBytes(copying: secret.prefix(Int(SC_ED25519_SEED_BYTES)))
        }
      }.get()
    }
    before = Before(dump: try saved(), adminSeed: adminSeed, neededDump: neededDump)
    // Dumping clears the core's mark that a dump is needed.
    owesDump = neededDump
  }
}
