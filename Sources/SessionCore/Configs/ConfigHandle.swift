internal import CSessionCore

/// Owns a config object of the core.
///
/// One thread at a time, those who only read included: reading may index what it reads.
struct ConfigHandle: ~Copyable {
  let object: OpaquePointer
  /// What keeps it in step; part of the object.
  let config: OpaquePointer
  private let owner: Owner

  /// Frees the object. A class, because the optimizer (6.3) fails on a `deinit` of what cannot be copied where public
  /// properties hold it.
  private final class Owner {
    private let object: OpaquePointer
    private let free: (OpaquePointer?) -> Void

    init(_ object: OpaquePointer, free: @escaping (OpaquePointer?) -> Void) {
      self.object = object
      self.free = free
    }

    deinit { free(object) }
  }

  init(
    config: (OpaquePointer?) -> OpaquePointer?, free: @escaping (OpaquePointer?) -> Void,
    make: (UnsafeMutablePointer<OpaquePointer?>) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    var object: OpaquePointer?
    try Core.call { () throws(SessionError) in try make(&object) }
    guard let object, let config = config(object) else {
      preconditionFailure("the core made no config and reported none missing")
    }
    self.object = object
    self.config = config
    owner = Owner(object, free: free)
  }
}

extension ConfigHandle {
  /// How many messages are merged at once, and how many bytes of them, unless one alone has more.
  private static let maxMerged = 1000
  private static let maxMergedBytes = 16 << 20

  /// How many revisions a message looks back.
  private static let lag = Int64(SC_CONFIG_LAG)

  var needsPush: Bool { sc_config_needs_push(config) }
  var needsDump: Bool { sc_config_needs_dump(config) }
  var isClean: Bool { sc_config_state_of(config) == SC_CONFIG_CLEAN }
  /// True if there is a key to push or merge with.
  var hasKey: Bool { sc_config_key_count(config) > 0 }
  var sequenceNumber: Int64 { sc_config_seqno(config) }

  /// The state without the parts that wait.
  func dump(at now: MessageTime) throws(SessionError) -> [UInt8] {
    try Core.bytes { sc_config_dump_without_parts($0, config, now.milliseconds) }
  }

  /// Returns the parts that wait for the rest of their message. They are stored separately from the dump.
  func parts(at now: MessageTime) -> [ConfigDump.Part] {
    var cursor = sc_config_part_cursor()
    var part = sc_config_held_part()
    var parts: [ConfigDump.Part] = []
    while sc_config_next_part(&part, &cursor, config, now.milliseconds) {
      parts.append(ConfigDump.Part(part))
    }
    return parts
  }

  /// Puts back a part that waited. What cannot have waited is left out.
  func hold(_ part: ConfigDump.Part) {
    try? part.lend { sc_config_hold_part(config, $0) }
  }

  /// What is to be stored, and the hashes of what it replaces.
  func push(
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

  func confirm(_ sequenceNumber: Int64, hashes: [String]) throws(SessionError) {
    let arena = CoreArena()
    let hashes = hashes.map { arena.bytes($0.utf8) }
    defer { withExtendedLifetime(arena) {} }
    try Core.call { sc_config_confirm(config, sequenceNumber, hashes, hashes.count) }
  }

  /// Merges messages; which of them were not understood, what became of the config, and whether what it was before is
  /// too old for others to look back to.
  private func merge(
    _ messages: [ConfigMessage], at now: MessageTime
  ) throws(SessionError) -> (
    effect: ConfigMerge.Effect, rejected: [ConfigMerge.Rejection], wasLeftBehind: Bool
  ) {
    var effect = ConfigMerge.Effect.kept
    var rejected: [ConfigMerge.Rejection] = []
    var wasLeftBehind = false
    var rest = messages[...]
    while !rest.isEmpty {
      let number = sequenceNumber
      let portion = rest.prefix(Self.portion(of: rest))
      let merged = try mergeOnce(portion, at: now)
      effect = max(effect, merged.effect)
      wasLeftBehind = wasLeftBehind || (merged.effect == .adopted && sequenceNumber - number >= Self.lag)
      // Many that were refused may hide one that is fine: those after them are read again, without them.
      let read = max(1, merged.statuses.firstIndex(of: SC_ERR_CONFIG_UNREAD) ?? portion.count)
      for (message, status) in zip(portion, merged.statuses.prefix(read)) where status != SC_OK {
        rejected.append(ConfigMerge.Rejection(hash: message.hash, error: SessionError(status)))
      }
      rest = rest.dropFirst(read)
    }
    return (effect, rejected, wasLeftBehind)
  }

  /// The same, and repeats unpushed edits if others are too far ahead to merge them, or if merging reverted them without a
  /// conflict.
  func merge(
    _ messages: [ConfigMessage], keeping edits: inout ConfigEdits, at now: MessageTime
  ) throws(SessionError) -> (effect: ConfigMerge.Effect, rejected: [ConfigMerge.Rejection]) {
    let unpushed = isClean ? nil : ConfigMark(of: self)
    var (effect, rejected, wasLeftBehind) = try merge(messages, at: now)
    if let unpushed, wasLeftBehind {
      if try edits.redo(upTo: unpushed, in: self) { effect = .redone }
    } else if effect == .resolved, try edits.redoOvertaken(upTo: unpushed, in: self) {
      effect = .redone
    }
    return (effect, rejected)
  }

  private static func portion(of messages: ArraySlice<ConfigMessage>) -> Int {
    var bytes = 0
    let fitting = messages.prefix(maxMerged).prefix { message in
      bytes += message.stored.count
      return bytes <= maxMergedBytes
    }
    return max(1, fitting.count)
  }

  private func mergeOnce(
    _ messages: ArraySlice<ConfigMessage>, at now: MessageTime
  ) throws(SessionError) -> (effect: ConfigMerge.Effect, statuses: [sc_status]) {
    let arena = CoreArena()
    let incoming = messages.map {
      sc_config_incoming(hash: arena.bytes($0.hash.utf8), stored: arena.bytes($0.stored))
    }
    defer { withExtendedLifetime(arena) {} }
    var statuses = [sc_status](repeating: SC_OK, count: incoming.count)
    var effect = SC_CONFIG_KEPT
    switch sc_config_merge(&effect, &statuses, config, incoming, incoming.count, now.milliseconds) {
    // Nothing could be understood: each message says why.
    case SC_OK, SC_ERR_CONFIG_NONE: break
    // Nothing can be opened before there is a key.
    case SC_ERR_CONFIG_KEYLESS: statuses = statuses.map { _ in SC_ERR_NO_KEY }
    case let status: throw SessionError(status)
    }
    return (ConfigMerge.Effect(effect), statuses)
  }

  /// The hashes of what the swarm has to keep.
  func activeHashes(at now: MessageTime) throws(SessionError) -> [String] {
    var hashes = sc_config_hashes()
    sc_config_hashes_init(&hashes, nil)
    defer { sc_config_hashes_free(&hashes) }
    try Core.call { sc_config_active_hashes(&hashes, config, now.milliseconds) }
    return hashes.texts
  }

  /// Adopts the hashes of obsolete messages; for an edited config its push provides them.
  func takeOldHashes() -> [String] {
    var hashes = sc_config_hashes()
    sc_config_hashes_init(&hashes, nil)
    defer { sc_config_hashes_free(&hashes) }
    sc_config_take_old_hashes(&hashes, config)
    return hashes.texts
  }
}

extension ConfigHandle {
  /// Makes something that remembers the config. Like everything of Swift, it takes for granted that there is memory.
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
