internal import CSessionCore

/// A stored message of the ratchet protocol, parsed and not yet opened.
///
/// Open it with the sessions whose tag keys it has. If that throws ``SessionError/Code/ratchetOther`` or
/// ``SessionError/Code/ratchetDamaged``, try its starts. Only ``SessionError/Code/ratchetBroken`` deserves an answer:
/// strangers and nodes cannot cause it.
public final class RatchetEnvelope {
  /// The bytes that every such message begins with.
  public static let prefix: [UInt8] = [0x00, 0xD1]
  /// The size of the largest message.
  public static let maxBytes = Int(SC_RATCHET_MAX_MESSAGE_BYTES)
  /// The maximum number of devices that a message is for.
  public static let maxSlots = Int(SC_RATCHET_MAX_SLOTS)

  /// How to open a message.
  public struct Options: Sendable {
    public var nowSeconds: UInt64
    /// True if a message with this mark was opened before.
    public var wasOpened = false
    /// The maximum number of skipped keys in the session.
    public var maxSkipped = Int(SC_RATCHET_MAX_SKIPPED)

    public init(nowSeconds: UInt64) { self.nowSeconds = nowSeconds }

    fileprivate var core: sc_ratchet_open_options {
      sc_ratchet_open_options(now_s: nowSeconds, was_opened: wasOpened, max_skipped: maxSkipped)
    }
  }

  /// Why a message was not opened.
  public struct Failure: Error {
    public let error: SessionError
    /// The session that it breaks, by its index.
    public let broken: Int?
  }

  /// The memory of the message.
  private let arena = CoreArena()
  private let envelope: UnsafePointer<sc_ratchet_envelope>

  /// Parses a message. Throws ``SessionError/Code/ratchetFormat`` if it is not one of this protocol.
  public init(parsing message: some Collection<UInt8>) throws(SessionError) {
    let bytes = arena.bytes(message)
    var parsed = sc_ratchet_envelope()
    try Core.call { sc_ratchet_envelope_parse(&parsed, bytes) }
    envelope = arena.value(parsed)
  }

  /// True if the message may start a session.
  public var hasStarts: Bool { envelope.pointee.has_starts }

  /// Identifies the message, to be stored for 16 days after it was opened.
  public var mark: [UInt8] { Array(array(envelope.pointee.digest).prefix(Int(SC_RATCHET_MARK_BYTES))) }

  /// True if a slot may be for the session that gave this tag key.
  public func hasTag(of key: [UInt8]) -> Bool { sc_ratchet_envelope_has_tag(envelope, key) }

  /// Opens the message with one of these sessions, which advances. Returns the body, and the index of that session.
  public func open(
    with sessions: [RatchetSession], _ options: Options
  ) throws(Failure) -> (body: RatchetBody, index: Int) {
    var index = 0
    var options = options.core
    let handles = sessions.map { Optional($0.handle) }
    defer { withExtendedLifetime(sessions) {} }
    do throws(SessionError) {
      let body = try Self.body {
        sc_ratchet_open($0, &index, nil, envelope, handles, handles.count, &options)
      }
      return (body, index)
    } catch {
      throw Failure(error: error, broken: error.code == .ratchetBroken ? index : nil)
    }
  }

  /// Seals a body for the devices at the other ends of the sessions, which advance.
  public static func seal(
    _ body: RatchetBody, with sessions: [RatchetSession]
  ) throws(SessionError) -> [UInt8] {
    let content = try body.bytes()
    let handles = sessions.map { Optional($0.handle) }
    defer { withExtendedLifetime(sessions) {} }
    return try Core.bytes(of: content) {
      sc_ratchet_seal($0, nil, handles, handles.count, $1, nil)
    }
  }

  private static func body(
    _ open: (UnsafeMutablePointer<sc_buffer>) -> sc_status
  ) throws(SessionError) -> RatchetBody {
    var buffer = sc_buffer()
    defer { sc_buffer_free(&buffer) }
    try Core.call { open(&buffer) }
    return try RatchetBody(reading: buffer.content)
  }
}

// MARK: - Starts

extension RatchetEnvelope {
  /// The start of a session in a message, unverified.
  public struct Start {
    /// Identifies it: one that was seen before is a duplicate.
    public let startKey: [UInt8]
    /// The generation of the prekeys that it uses.
    public let generation: UInt32
    /// The place of the one-time prekey that it uses; nil if it uses none.
    public let oneTimePlace: Int?
    public let startedAtSeconds: UInt32
    fileprivate let core: sc_ratchet_start

    fileprivate init(_ start: sc_ratchet_start) {
      core = start
      startKey = array(start.start_key)
      generation = start.generation
      oneTimePlace = start.one_time == SC_RATCHET_NO_ONE_TIME ? nil : Int(start.one_time)
      startedAtSeconds = start.started_s
    }
  }

  /// The starts of sessions with this device.
  public func starts(for own: RatchetDevice) throws(SessionError) -> [Start] {
    var count = 0
    return try own.withCore { (own) throws(SessionError) in
      try Core.withWiped(sc_ratchet_start.self, count: Self.maxSlots) { (starts) throws(SessionError) in
        try Core.call { sc_ratchet_starts(starts, &count, envelope, own) }
        return UnsafeBufferPointer(start: starts, count: count).map(Start.init)
      }
    }
  }

  /// Opens the message with the session of a start that is known.
  public func open(
    _ start: Start, with session: RatchetSession, _ options: Options
  ) throws(SessionError) -> RatchetBody {
    var options = options.core
    return try Self.body {
      sc_ratchet_open_slot($0, nil, envelope, start.core.slot, session.handle, &options)
    }
  }

  /// What a start that was opened gave.
  public struct Started {
    public let body: RatchetBody
    public let session: RatchetSession
    public let sender: RatchetSender
  }

  /// Opens the message that starts a session. `prekeys` are those of the start's generation; nil if they are gone.
  ///
  /// Throws ``SessionError/Code/ratchetLostStart`` if the prekeys are gone, or it was started more than ten minutes from
  /// now.
  public func open(
    _ start: Start, by own: RatchetDevice, _ prekeys: RatchetPrekeys?, _ options: Options
  ) throws(SessionError) -> Started {
    guard let prekeys else { throw SessionError(SC_ERR_RATCHET_LOST_START) }
    var (core, options) = (start.core, options.core)
    var session: OpaquePointer?
    var sender = sc_ratchet_certificate()
    let body = try own.withCore { (own) throws(SessionError) in
      try prekeys.withCore { (prekeys) throws(SessionError) in
        try Self.body {
          sc_ratchet_open_start($0, &session, &sender, nil, envelope, &core, own, prekeys, &options)
        }
      }
    }
    guard let session else { preconditionFailure("a start that was opened has a session") }
    return Started(body: body, session: RatchetSession(session), sender: RatchetSender(sender))
  }
}
