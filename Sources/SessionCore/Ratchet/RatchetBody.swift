internal import CSessionCore

/// What a message of the ratchet protocol says: a content for people, or something for the device itself.
public struct RatchetBody: Hashable, Sendable {
  /// The maximum number of messages whose repetition one message can request.
  public static let maxResend = Int(SC_RATCHET_MAX_RESEND)

  /// The bytes of a content; empty if there is none.
  public var content: [UInt8] = []
  /// Required without content.
  public var sentAt: MessageTime?
  /// True if the message only makes the keys change.
  public var isPing = false
  /// The hashes of stored messages to send again; nil unless the sender's older sessions are broken.
  public var resend: [[UInt8]]?
  /// The bt value of a device's linking; empty if there is none.
  public var link: [UInt8] = []

  /// A message for people.
  public init(content: [UInt8]) { self.content = content }

  /// A message for the device itself.
  public init(
    controlAt sentAt: MessageTime, isPing: Bool = false, resend: [[UInt8]]? = nil, link: [UInt8] = []
  ) {
    self.sentAt = sentAt
    self.isPing = isPing
    self.resend = resend
    self.link = link
  }

  /// Reads a body.
  public init(reading bytes: some Collection<UInt8>) throws(SessionError) {
    self = try bytes.lend { (bytes) throws(SessionError) in
      var body = sc_ratchet_body()
      try Core.call { sc_ratchet_body_read(&body, bytes) }
      return try RatchetBody(body)
    }
  }

  private init(_ body: sc_ratchet_body) throws(SessionError) {
    content = Array(body.content.content)
    sentAt = body.sent_ms > 0 ? try MessageTime(milliseconds: body.sent_ms) : nil
    isPing = body.is_ping
    link = Array(body.link.content)
    guard body.wants_resend else { return }
    resend = withUnsafeBytes(of: body.resend) { pointers in
      pointers.bindMemory(to: UnsafePointer<UInt8>?.self).prefix(body.resend_count).map { hash in
        Array(UnsafeBufferPointer(start: hash, count: Int(SC_RATCHET_HASH_BYTES)))
      }
    }
  }

  /// The bytes of the body.
  public func bytes() throws(SessionError) -> [UInt8] {
    try withCore { (body) throws(SessionError) in try Core.bytes { sc_ratchet_body_write($0, body) } }
  }
}

extension RatchetBody: CoreValue {
  func core(in arena: CoreArena) -> sc_ratchet_body {
    var body = sc_ratchet_body()
    body.content = arena.bytes(content)
    body.sent_ms = sentAt?.milliseconds ?? 0
    body.has_control = isPing || resend != nil || !link.isEmpty
    body.is_ping = isPing
    body.wants_resend = resend != nil
    body.link = arena.bytes(link)
    let hashes = (resend ?? []).prefix(Self.maxResend)
    body.resend_count = hashes.count
    withUnsafeMutableBytes(of: &body.resend) { pointers in
      let pointers = pointers.bindMemory(to: UnsafePointer<UInt8>?.self)
      for (index, hash) in hashes.enumerated() { pointers[index] = arena.bytes(hash).ptr }
    }
    return body
  }
}
