internal import CSessionCore

/// A message: its content, send time, disappearing timer and Pro data.
public struct Message: Equatable, Sendable {
  public private(set) var content: MessageContent
  /// Nil in messages from old clients.
  public let sentAt: MessageTime?
  public let disappearing: DisappearingTimer?
  public let pro: MessagePro?

  public init(
    _ content: MessageContent, sentAt: MessageTime, disappearing: DisappearingTimer? = nil,
    pro: MessagePro? = nil
  ) throws(SessionError) {
    self.content = content
    self.sentAt = sentAt
    self.disappearing = disappearing
    self.pro = pro
    try MessageRule.check(withCore { sc_message_body_check($0) })
  }

  /// Returns the copy for our own devices of a message in the conversation with `conversation`; nil for kinds without
  /// copies.
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

/// A content that our other devices get a copy of.
protocol SyncedContent {
  var profile: MessageProfile? { get set }
  var syncTarget: SessionID? { get set }
}

extension SyncedContent {
  /// Returns the copy for own devices, with the conversation and without the profile.
  func copy(forOwnDevicesIn conversation: SessionID) -> Self {
    var copy = self
    copy.profile = nil
    copy.syncTarget = conversation
    return copy
  }
}

extension Message {
  /// Parses the bytes of a content, without padding. Throws the rule that they break.
  public init(parsing bytes: some Collection<UInt8>) throws(SessionError) {
    let content = try bytes.lend { (bytes) throws(SessionError) in
      try Core.object { (out) throws(SessionError) in
        try MessageRule.checkText(sc_content_parse(out, nil, bytes))
      }
    }
    defer { sc_content_free(content) }
    self = try MessageRule.body({ sc_content_body($0, content, $1) }, as: Message.init)
  }

  /// Creates a message from a body that the core has parsed and checked.
  init(_ body: sc_message_body) throws(SessionError) {
    content = try MessageContent(body)
    sentAt = body.sent_ms > 0 ? try MessageTime(milliseconds: body.sent_ms) : nil
    disappearing = try DisappearingTimer(body.timer)
    pro = body.has_pro ? try MessagePro(body.pro) : nil
  }

  /// The bytes of the content.
  public func bytes() throws(SessionError) -> [UInt8] {
    try withContent { Array($0.content) }
  }

  /// Lends the bytes of the content, and wipes them.
  func withContent<R>(_ use: (sc_bytes) throws(SessionError) -> R) throws(SessionError) -> R {
    var buffer = sc_buffer()
    defer { sc_buffer_free(&buffer) }
    try withCore { (body) throws(SessionError) in
      try MessageRule.call { sc_message_body_write(&buffer, body, $0) }
    }
    return try use(sc_buffer_bytes(&buffer))
  }
}

extension Message: CoreValue {
  func core(in arena: CoreArena) -> sc_message_body {
    var body = content.core(in: arena)
    body.sent_ms = sentAt?.milliseconds ?? 0
    body.timer = disappearing?.core ?? sc_message_timer()
    put(pro?.core, &body.has_pro, &body.pro)
    return body
  }
}
