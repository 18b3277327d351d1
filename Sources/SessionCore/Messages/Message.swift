internal import CSessionCore

/// A message: what it is about, when it was sent, when it disappears, and its sender's Pro data.
public struct Message: Equatable, Sendable {
  public private(set) var content: MessageContent
  /// Nil in what old clients sent.
  public let sentAt: MessageTime?
  public let disappearing: DisappearingTimer?
  public let pro: MessagePro?

  public init(
    _ content: MessageContent, sentAt: MessageTime, disappearing: DisappearingTimer? = nil,
    pro: MessagePro? = nil
  ) throws(SessionError) {
    try self.init(parsed: content, sentAt: sentAt, disappearing: disappearing, pro: pro)
  }

  private init(
    parsed content: MessageContent, sentAt: MessageTime?, disappearing: DisappearingTimer?, pro: MessagePro?
  ) throws(SessionError) {
    if case .typing(let typing) = content, let sentAt {
      try MessageRule.typingTime.require(typing.sentAt == sentAt)
    }
    self.content = content
    self.sentAt = sentAt
    self.disappearing = disappearing
    self.pro = pro
  }

  /// The copy that tells the own devices about a message in the conversation with `conversation`; nil for
  /// kinds that have none.
  public func copy(forOwnDevicesIn conversation: SessionID) -> Message? {
    guard content.kind.traits.isSynced else { return nil }
    var copy = self
    switch content {
    case .visible(let message): copy.content = .visible(message.copy(forOwnDevicesIn: conversation))
    case .reaction(let reaction): copy.content = .reaction(reaction.copy(forOwnDevicesIn: conversation))
    case .timerUpdate(let update): copy.content = .timerUpdate(update.copy(forOwnDevicesIn: conversation))
    default: break
    }
    return copy
  }
}

extension Message {
  /// Reads the bytes of a content, without its padding, and says which rule they break.
  public init(parsing bytes: some Collection<UInt8>) throws(SessionError) {
    let handle = try ContentHandle(parsing: bytes)
    self = try handle.withFields { (fields) throws(SessionError) in
      try Message(fields, hasPro: fields.pro_message != nil)
    }
  }

  /// Pro data that counts as absent is not looked at.
  init(_ fields: Sc__Content, hasPro: Bool) throws(SessionError) {
    let sentAt: MessageTime? =
      fields.has_sig_timestamp != 0 ? try MessageTime(milliseconds: fields.sig_timestamp) : nil
    let pro: MessagePro? =
      if hasPro, let pro = fields.pro_message { try MessagePro(pro.pointee) } else { nil }
    try self.init(
      parsed: MessageContent(fields), sentAt: sentAt, disappearing: DisappearingTimer(fields), pro: pro)
  }

  /// The bytes of the content.
  public func bytes() throws(SessionError) -> [UInt8] {
    try withContent { Array($0.content) }
  }

  /// Lends the bytes of the content, and wipes them.
  func withContent<R>(_ body: (sc_bytes) throws(SessionError) -> R) throws(SessionError) -> R {
    let arena = ContentArena()
    defer { withExtendedLifetime(arena) {} }
    let fields = arena.make(sc__content__init)
    content.write(to: fields, arena: arena)
    disappearing?.write(to: fields)
    if let sentAt { write(sentAt, to: fields) }
    fields.pointee.pro_message = pro?.write(to: arena)
    var buffer = sc_buffer()
    defer { sc_buffer_free(&buffer) }
    try Core.call { sc_content_write(&buffer, fields) }
    return try body(sc_buffer_bytes(&buffer))
  }

  /// Data messages repeat the time, because some clients still read it there.
  private func write(_ sentAt: MessageTime, to fields: UnsafeMutablePointer<Sc__Content>) {
    fields.pointee.has_sig_timestamp = 1
    fields.pointee.sig_timestamp = sentAt.milliseconds
    guard let data = fields.pointee.data_message else { return }
    data.pointee.has_timestamp = 1
    data.pointee.timestamp = sentAt.milliseconds
  }
}
