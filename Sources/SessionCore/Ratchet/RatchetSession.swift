internal import CSessionCore

/// The key of a message that has not arrived yet.
public struct RatchetSkippedKey: Sendable {
  public let headerKey: SecretBytes
  public let number: UInt32
  public let messageKey: SecretBytes
  public let skippedAtSeconds: UInt64

  public init(headerKey: SecretBytes, number: UInt32, messageKey: SecretBytes, skippedAtSeconds: UInt64) {
    self.headerKey = headerKey
    self.number = number
    self.messageKey = messageKey
    self.skippedAtSeconds = skippedAtSeconds
  }

  fileprivate init(_ key: sc_ratchet_skipped) throws(SessionError) {
    headerKey = try withUnsafeBytes(of: key.header_key) { (bytes) throws(SessionError) in
      try SecretBytes(copying: bytes)
    }
    number = key.number
    messageKey = try withUnsafeBytes(of: key.message_key) { (bytes) throws(SessionError) in
      try SecretBytes(copying: bytes)
    }
    skippedAtSeconds = key.skipped_s
  }

  fileprivate func fill(_ core: inout sc_ratchet_skipped) {
    headerKey.withCore { bytes in
      withUnsafeMutableBytes(of: &core.header_key) { $0.copyBytes(from: bytes.content) }
    }
    messageKey.withCore { bytes in
      withUnsafeMutableBytes(of: &core.message_key) { $0.copyBytes(from: bytes.content) }
    }
    core.number = number
    core.skipped_s = skippedAtSeconds
  }
}

/// The keys that two devices share, which change with each message.
///
/// Load it in the transaction of each use, and save it in the same one: a step of a sending chain must never be on the
/// network without being stored.
public final class RatchetSession {
  /// The maximum number of skipped keys that a session with a stranger keeps.
  public static let maxSkippedOfStranger = Int(SC_RATCHET_MAX_SKIPPED_STRANGER)

  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sc_ratchet_session_free(handle) }

  /// Starts a session with the device of a bundle. `startedAtSeconds` must be later than that of every session with the
  /// device.
  public init(
    from own: RatchetDevice, with bundle: RatchetBundle, startedAtSeconds: UInt32
  ) throws(SessionError) {
    let place = try bundle.pickOneTime()
    handle = try bundle.withCore { (bundle) throws(SessionError) in
      try own.withCore { (own) throws(SessionError) in
        try Core.object { sc_ratchet_session_start($0, nil, own, bundle, place, startedAtSeconds) }
      }
    }
  }

  /// Loads a saved session with its skipped keys, oldest first.
  ///
  /// Throws ``SessionError/Code/ratchetState`` for a state that was damaged or is of a later version: treat the session
  /// as absent.
  public init(state: SecretBytes, skipped: [RatchetSkippedKey]) throws(SessionError) {
    let load = { (keys: UnsafePointer<sc_ratchet_skipped>?) throws(SessionError) -> OpaquePointer in
      try state.withCore { (state) throws(SessionError) in
        try Core.object { sc_ratchet_session_load($0, nil, state, keys, skipped.count) }
      }
    }
    guard !skipped.isEmpty else {
      handle = try load(nil)
      return
    }
    handle = try Core.withWiped(sc_ratchet_skipped.self, count: skipped.count) {
      (keys) throws(SessionError) in
      for (index, key) in skipped.enumerated() { key.fill(&keys[index]) }
      return try load(keys)
    }
  }

  /// The state to store.
  public func state() throws(SessionError) -> SecretBytes {
    try Core.secret { sc_ratchet_session_save($0, handle) }
  }

  /// The skipped keys that the last opening added.
  public func addedKeys() throws(SessionError) -> [RatchetSkippedKey] {
    try keys(sc_ratchet_session_added)
  }

  /// The skipped keys that the last opening removed: the used one, and the oldest beyond the limit.
  public func removedKeys() throws(SessionError) -> [RatchetSkippedKey] {
    try keys(sc_ratchet_session_removed)
  }

  private func keys(
    _ list: (OpaquePointer?, UnsafeMutablePointer<Int>?) -> UnsafePointer<sc_ratchet_skipped>?
  ) throws(SessionError) -> [RatchetSkippedKey] {
    var count = 0
    let start = list(handle, &count)
    var keys: [RatchetSkippedKey] = []
    for key in UnsafeBufferPointer(start: start, count: count) { keys.append(try RatchetSkippedKey(key)) }
    return keys
  }

  /// The keys by which slots for this session are recognised. They change when a message is opened.
  public func tagKeys() throws(SessionError) -> [[UInt8]] {
    let bytes = try Core.bytes { sc_ratchet_session_tag_keys($0, handle) }
    let size = Int(SC_RATCHET_TAG_KEY_BYTES)
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<$0 + size]) }
  }
}

extension RatchetSession {
  /// The account at the other end.
  public var peer: SessionID {
    guard let peer = sc_ratchet_session_peer(handle) else { preconditionFailure("a session has a peer") }
    return SessionID(peer.pointee)
  }

  /// The device at the other end.
  public var device: [UInt8] { key(sc_ratchet_session_device(handle)) }

  /// The bytes that identify the start of the session to both sides.
  public var startKey: [UInt8] { key(sc_ratchet_session_start_key(handle)) }

  private func key(_ start: UnsafePointer<UInt8>?) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: Int(SC_KEY_BYTES)))
  }

  public var startedAtSeconds: UInt64 { sc_ratchet_session_started_s(handle) }

  /// True if this device started the session.
  public var isInitiator: Bool { sc_ratchet_session_is_initiator(handle) }

  /// True if this device started the session and the other side has not answered on it.
  public var isPending: Bool { sc_ratchet_session_is_pending(handle) }

  public var canSend: Bool { sc_ratchet_session_can_send(handle) }

  /// The latest sent time of received messages, for display; nil if none was received.
  public var heardAt: UInt64? {
    let time = sc_ratchet_session_heard_ms(handle)
    return time > 0 ? time : nil
  }

  /// Records the sent time of a received message.
  public func noteHeard(at milliseconds: UInt64) { sc_ratchet_session_note_heard(handle, milliseconds) }

  /// True if the session is older than another one with the same device.
  public func isOlder(than other: RatchetSession) -> Bool {
    sc_ratchet_session_compare(handle, other.handle) < 0
  }
}
