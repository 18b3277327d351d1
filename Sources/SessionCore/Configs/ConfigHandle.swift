internal import CSessionCore

/// A config object of the core, owned by whoever holds this.
// Sendable without the compiler's check: it cannot be copied and gives no pointer away, so one owner at a time
// reaches the object.
struct ConfigHandle: ~Copyable, @unchecked Sendable {
  let object: OpaquePointer
  /// What keeps it in step; part of the object.
  let config: OpaquePointer
  private let free: @Sendable (OpaquePointer?) -> Void

  init(
    config: (OpaquePointer?) -> OpaquePointer?, free: @escaping @Sendable (OpaquePointer?) -> Void,
    make: (UnsafeMutablePointer<OpaquePointer?>) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    var object: OpaquePointer?
    try Core.call { () throws(SessionError) in try make(&object) }
    guard let object, let config = config(object) else {
      preconditionFailure("the core made no config and reported none missing")
    }
    self.object = object
    self.config = config
    self.free = free
  }

  deinit { free(object) }
}

extension ConfigHandle {
  /// How many messages are merged at once.
  private static let mergedAtOnce = 100

  var needsPush: Bool { sc_config_needs_push(config) }
  var needsDump: Bool { sc_config_needs_dump(config) }
  var sequenceNumber: Int64 { sc_config_seqno(config) }

  func dump(at now: MessageTime) throws(SessionError) -> [UInt8] {
    try Core.bytes { sc_config_dump($0, config, now.milliseconds) }
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
    let arena = ContentArena()
    let hashes = hashes.map { arena.bytes($0.utf8) }
    defer { withExtendedLifetime(arena) {} }
    try Core.call { sc_config_confirm(config, sequenceNumber, hashes, hashes.count) }
  }

  /// Merges messages and tells which keys lead to what changed, and which messages were not understood.
  func merge(
    _ messages: [ConfigMessage], at now: MessageTime
  ) throws(SessionError) -> (changed: [ConfigPath], rejected: [ConfigMerge.Rejection]) {
    var mark: OpaquePointer?
    try Core.call { sc_config_mark_new(&mark, config) }
    defer { sc_config_mark_free(mark) }
    var rejected: [ConfigMerge.Rejection] = []
    var rest = messages[...]
    while !rest.isEmpty {
      rejected += try mergeOnce(rest.prefix(Self.mergedAtOnce), at: now)
      rest = rest.dropFirst(Self.mergedAtOnce)
    }
    return (changes(since: mark), rejected)
  }

  private func mergeOnce(
    _ messages: ArraySlice<ConfigMessage>, at now: MessageTime
  ) throws(SessionError) -> [ConfigMerge.Rejection] {
    let arena = ContentArena()
    let incoming = messages.map {
      sc_config_incoming(hash: arena.bytes($0.hash.utf8), stored: arena.bytes($0.stored))
    }
    defer { withExtendedLifetime(arena) {} }
    var statuses = [sc_status](repeating: SC_OK, count: incoming.count)
    var effect = SC_CONFIG_KEPT
    let status = sc_config_merge(
      &effect, &statuses, config, incoming, incoming.count, now.milliseconds)
    // Nothing could be understood: each message says why.
    if status != SC_ERR_CONFIG_NONE { try SessionError.check(status) }
    return zip(messages, statuses).filter { $1 != SC_OK }.map { message, status in
      ConfigMerge.Rejection(hash: message.hash, error: SessionError(status))
    }
  }

  private func changes(since mark: OpaquePointer?) -> [ConfigPath] {
    var paths: [ConfigPath] = []
    withUnsafeMutablePointer(to: &paths) { paths in
      sc_config_changes_since(
        mark, config,
        { paths, keys, count in
          let keys = UnsafeBufferPointer(start: keys, count: count)
          paths?.assumingMemoryBound(to: [ConfigPath].self).pointee.append(
            ConfigPath(keys: keys.map { Array($0.content) }))
        }, paths)
    }
    return paths
  }

  /// The hashes of what the swarm has to keep.
  func activeHashes(at now: MessageTime) throws(SessionError) -> [String] {
    var hashes = sc_config_hashes()
    sc_config_hashes_init(&hashes, nil)
    defer { sc_config_hashes_free(&hashes) }
    try Core.call { sc_config_active_hashes(&hashes, config, now.milliseconds) }
    return hashes.texts
  }
}

extension sc_config_hashes {
  var texts: [String] {
    UnsafeBufferPointer(start: items, count: count).map { String(decoding: $0.content, as: UTF8.self) }
  }
}

/// The keys that lead to a value.
struct ConfigPath: Hashable {
  let keys: [[UInt8]]

  /// The key at a depth as text; empty where there is none.
  func text(_ depth: Int) -> String {
    depth < keys.count ? String(decoding: keys[depth], as: UTF8.self) : ""
  }

  /// The id at a depth; nil for anything else.
  func id(_ depth: Int, _ kind: SessionID.Kind) -> SessionID? {
    guard depth < keys.count, let id = try? SessionID(bytes: keys[depth]), id.kind == kind else { return nil }
    return id
  }

  /// The room on the way through a section of communities; nil on the way to anything else.
  var room: (server: String, room: String)? {
    keys.count > 3 && text(2) == "R" ? (text(1), text(3)) : nil
  }
}

/// Goes through records of the core in their order.
enum Records {
  static func all<Record, Shown>(
    _ record: Record, first: (inout Record) -> sc_status, next: (inout Record) -> sc_status,
    as shown: (Record) throws(SessionError) -> Shown
  ) throws(SessionError) -> [Shown] {
    var record = record
    var found: [Shown] = []
    var status = first(&record)
    while status == SC_OK {
      found.append(try shown(record))
      status = next(&record)
    }
    guard status == SC_ERR_NOT_FOUND else { throw SessionError(status) }
    return found
  }

  /// A record, or nil where there is none.
  static func one<Record, Shown>(
    _ record: Record, get: (inout Record) -> sc_status, as shown: (Record) throws(SessionError) -> Shown
  ) throws(SessionError) -> Shown? {
    var record = record
    let status = get(&record)
    if status == SC_ERR_NOT_FOUND { return nil }
    try SessionError.check(status)
    return try shown(record)
  }

  static func count(_ count: (inout Int) -> sc_status) throws(SessionError) -> Int {
    var number = 0
    try SessionError.check(count(&number))
    return number
  }

  /// Whether there was something to erase.
  static func erase(_ erase: (inout Bool) -> sc_status) throws(SessionError) -> Bool {
    var erased = false
    try SessionError.check(erase(&erased))
    return erased
  }
}
