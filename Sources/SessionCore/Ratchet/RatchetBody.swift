internal import CSessionCore

/// What a message of the ratchet protocol says: a content for people, or something for the device itself.
public struct RatchetBody: Hashable, Sendable {
  /// The maximum number of messages whose repetition one message can request.
  public static let maxResend = Int(SC_RATCHET_MAX_RESEND)
  /// The maximum number of verifications in one message.
  public static let maxVerifications = Int(SC_RATCHET_MAX_VERIFICATIONS)

  /// What a device of an account tells its others about the verification of a person.
  public struct Verification: Hashable, Sendable {
    public let person: SessionID
    /// Of the person's side, as the numbers were compared.
    public let fingerprint: [UInt8]
    /// False if the comparison was forgotten.
    public let isVerified: Bool
    /// When the user said so.
    public let at: MessageTime

    public init(_ person: SessionID, _ fingerprint: [UInt8], isVerified: Bool, at time: MessageTime) {
      self.person = person
      self.fingerprint = fingerprint
      self.isVerified = isVerified
      self.at = time
    }
  }

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
  public var verifications: [Verification] = []

  /// A message for people.
  public init(content: [UInt8]) { self.content = content }

  /// A message for the device itself.
  public init(
    controlAt sentAt: MessageTime, isPing: Bool = false, resend: [[UInt8]]? = nil, link: [UInt8] = [],
    verifications: [Verification] = []
  ) {
    self.sentAt = sentAt
    self.isPing = isPing
    self.resend = resend
    self.link = link
    self.verifications = verifications
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
    var told = body.verifications
    verifications = withUnsafeBytes(of: &told) { list in
      list.bindMemory(to: sc_ratchet_verification.self).prefix(body.verification_count).compactMap {
        Verification($0)
      }
    }
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

extension RatchetBody.Verification {
  /// Nil for somebody whose number cannot be compared.
  fileprivate init?(_ core: sc_ratchet_verification) {
    guard let id = core.id, let fingerprint = core.fingerprint,
      let person = try? SessionID(bytes: UnsafeBufferPointer(start: id, count: Int(SC_ID_BYTES))),
      person.kind == .standard, let time = try? MessageTime(milliseconds: core.at_ms)
    else { return nil }
    self.init(
      person, Array(UnsafeBufferPointer(start: fingerprint, count: Int(SC_SAFETY_FINGERPRINT_BYTES))),
      isVerified: core.is_verified, at: time)
  }
}

extension RatchetBody: CoreValue {
  func core(in arena: CoreArena) -> sc_ratchet_body {
    var body = sc_ratchet_body()
    body.content = arena.bytes(content)
    body.sent_ms = sentAt?.milliseconds ?? 0
    body.has_control = isPing || resend != nil || !link.isEmpty || !verifications.isEmpty
    body.is_ping = isPing
    body.wants_resend = resend != nil
    body.link = arena.bytes(link)
    let hashes = (resend ?? []).prefix(Self.maxResend)
    body.resend_count = hashes.count
    withUnsafeMutableBytes(of: &body.resend) { pointers in
      let pointers = pointers.bindMemory(to: UnsafePointer<UInt8>?.self)
      for (index, hash) in hashes.enumerated() { pointers[index] = arena.bytes(hash).ptr }
    }
    let told = verifications.prefix(Self.maxVerifications)
    body.verification_count = told.count
    withUnsafeMutableBytes(of: &body.verifications) { list in
      let list = list.bindMemory(to: sc_ratchet_verification.self)
      for (index, verification) in told.enumerated() {
        list[index] = sc_ratchet_verification(
          id: arena.bytes(verification.person.bytes).ptr,
          fingerprint: arena.bytes(verification.fingerprint).ptr, is_verified: verification.isVerified,
          at_ms: verification.at.milliseconds)
      }
    }
    return body
  }
}
