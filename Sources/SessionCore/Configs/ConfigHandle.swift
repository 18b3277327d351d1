internal import CSessionCore

/// Owns a config object of the core.
///
/// Used by one thread at a time, even for reading: a read may build an index.
package struct ConfigHandle: ~Copyable {
  let object: OpaquePointer
  /// The synchronisation state; owned by the object.
  let config: OpaquePointer
  private let owner: Owner

  /// Frees the object. This is a class because the optimizer (6.3) fails on the `deinit` of a noncopyable type held
  /// in public properties.
  private final class Owner {
    private let object: OpaquePointer
    private let free: (OpaquePointer?) -> Void

    init(_ object: OpaquePointer, free: @escaping (OpaquePointer?) -> Void) {
      self.object = object
      self.free = free
    }

    deinit { free(object) }
  }

  typealias Object = UnsafeMutablePointer<OpaquePointer?>

  init(
    config: (OpaquePointer?) -> OpaquePointer?, free: @escaping (OpaquePointer?) -> Void,
    make: (Object) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    let object = try Core.object(make)
    guard let config = config(object) else { preconditionFailure("an object has a config") }
    self.object = object
    self.config = config
    owner = Owner(object, free: free)
  }

  init(
    config: (OpaquePointer?) -> OpaquePointer?, free: @escaping (OpaquePointer?) -> Void, account: Account,
    dump: [UInt8],
    make: (Object, UnsafePointer<sc_env>?, UnsafePointer<sc_keypair>?, sc_bytes) -> sc_status
  ) throws(SessionError) {
    try self.init(config: config, free: free) { (object) throws(SessionError) in
      try account.withKeys { (keys) throws(SessionError) in try dump.lend { make(object, nil, keys, $0) } }
    }
  }

  init(
    config: (OpaquePointer?) -> OpaquePointer?, free: @escaping (OpaquePointer?) -> Void, group: SessionID,
    adminSeed: SecretBytes?, dump: [UInt8],
    make: (
      Object, UnsafePointer<sc_env>?, UnsafePointer<sc_id>?, UnsafePointer<sc_ed25519_pair>?, sc_bytes
    ) -> sc_status
  ) throws(SessionError) {
    try group.require(.group)
    var id = group.core
    try self.init(config: config, free: free) { (object) throws(SessionError) in
      try adminSeed.withPair { (pair) throws(SessionError) in
        try dump.lend { make(object, nil, &id, pair, $0) }
      }
    }
  }
}

extension ConfigHandle {
  package var needsPush: Bool { sc_config_needs_push(config) }
  package var needsDump: Bool { sc_config_needs_dump(config) }
  package var isClean: Bool { sc_config_state_of(config) == SC_CONFIG_CLEAN }
  /// True if there is a key to push or merge with.
  package var hasKey: Bool { sc_config_key_count(config) > 0 }
  package var sequenceNumber: Int64 { sc_config_seqno(config) }

  /// Dumps the state without the parts of incomplete messages.
  package func dump(at now: MessageTime) throws(SessionError) -> [UInt8] {
    try Core.bytes { sc_config_dump_without_parts($0, config, now.milliseconds) }
  }

  /// Returns the parts that wait for the rest of their message. They are stored separately from the dump.
  package func parts(at now: MessageTime) -> [HeldConfigPart] {
    var cursor = sc_config_part_cursor()
    var part = sc_config_held_part()
    var parts: [HeldConfigPart] = []
    while sc_config_next_part(&part, &cursor, config, now.milliseconds) {
      parts.append(HeldConfigPart(part))
    }
    return parts
  }

  /// Restores a stored part; ignores an invalid one.
  package func hold(_ part: HeldConfigPart) {
    try? part.lend { sc_config_hold_part(config, $0) }
  }

  /// The messages to store, and the hashes of those they replace.
  package func push(
    at now: MessageTime
  ) throws(SessionError) -> (sequenceNumber: Int64, messages: [[UInt8]], obsolete: [String]) {
    var outgoing = sc_config_outgoing()
    sc_config_outgoing_init(&outgoing, nil)
    defer { sc_config_outgoing_free(&outgoing) }
    try Core.call { sc_config_push(&outgoing, config, now.milliseconds) }
    let messages = (0..<sc_config_stored_count(&outgoing.messages)).map { index in
      Array(sc_config_stored_message(&outgoing.messages, index).content)
    }
    return (outgoing.seqno, messages, outgoing.obsolete.texts)
  }

  package func confirm(_ sequenceNumber: Int64, hashes: [String]) throws(SessionError) {
    let arena = CoreArena()
    let hashes = hashes.map { arena.bytes($0.utf8) }
    defer { withExtendedLifetime(arena) {} }
    try Core.call { sc_config_confirm(config, sequenceNumber, hashes, hashes.count) }
  }

  /// Merges messages. Returns the effect on the config and, for each rejected message, the error.
  package func merge(
    _ messages: some Collection<ConfigMessage>, at now: MessageTime
  ) throws(SessionError) -> (effect: ConfigEffect, errors: [SessionError?]) {
    let arena = CoreArena()
    let incoming = messages.map {
      sc_config_incoming(hash: arena.bytes($0.hash.utf8), stored: arena.bytes($0.stored))
    }
    defer { withExtendedLifetime(arena) {} }
    var statuses = [sc_status](repeating: SC_OK, count: incoming.count)
    var effect = SC_CONFIG_KEPT
    switch sc_config_merge(&effect, &statuses, config, incoming, incoming.count, now.milliseconds) {
    // No message could be read: each has its own error.
    case SC_OK, SC_ERR_CONFIG_NONE: break
    // Without a key no message can be opened.
    case SC_ERR_CONFIG_KEYLESS: statuses = statuses.map { _ in SC_ERR_NO_KEY }
    case let status: throw SessionError(status)
    }
    return (
      ConfigEffect(rawValue: effect.rawValue) ?? .kept, statuses.map { $0 == SC_OK ? nil : SessionError($0) }
    )
  }

  /// Ends the revision of a merge, so that later edits begin the next one.
  package func closeMerge() throws(SessionError) {
    try SessionError.check(sc_config_close_merge(config))
  }

  /// The hashes of the messages that the swarm must keep.
  package func activeHashes(at now: MessageTime) throws(SessionError) -> [String] {
    var hashes = sc_config_hashes()
    sc_config_hashes_init(&hashes, nil)
    defer { sc_config_hashes_free(&hashes) }
    try Core.call { sc_config_active_hashes(&hashes, config, now.milliseconds) }
    return hashes.texts
  }

  /// Adopts the hashes of obsolete messages; for an edited config its push provides them.
  package func takeOldHashes() -> [String] {
    var hashes = sc_config_hashes()
    sc_config_hashes_init(&hashes, nil)
    defer { sc_config_hashes_free(&hashes) }
    sc_config_take_old_hashes(&hashes, config)
    return hashes.texts
  }
}

extension ConfigHandle {
  /// Signs an admin's edits with the group's seed from now on.
  package func sign(with seed: SecretBytes) throws(SessionError) {
    try Optional(seed).withPair { (pair) throws(SessionError) in
      try SessionError.check(sc_config_set_signer(config, pair))
    }
  }

  /// Creates an object that remembers the config. As everywhere in Swift, allocation is assumed to succeed.
  func remember(_ make: (UnsafeMutablePointer<OpaquePointer?>, OpaquePointer) -> sc_status) -> OpaquePointer {
    var memory: OpaquePointer?
    guard make(&memory, config) == SC_OK, let memory else {
      preconditionFailure("there is no memory to remember a config in")
    }
    return memory
  }
}

extension sc_config_hashes {
  var texts: [String] {
    UnsafeBufferPointer(start: items, count: count).map { String(decoding: $0.content, as: UTF8.self) }
  }
}

extension SecretBytes? {
  /// Lends the key pair derived from a group's seed; nil without a seed.
  func withPair<R>(
    _ body: (UnsafePointer<sc_ed25519_pair>?) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    guard let seed = self else { return try body(nil) }
    return try seed.withPair { (pair) throws(SessionError) in try body(pair) }
  }
}
