internal import CSessionCore

/// The content of a message: exactly one of these, even if the message contains more.
public enum MessageContent: Equatable, Sendable {
  case visible(VisibleMessage)
  case reaction(MessageReaction)
  case timerUpdate(ExpirationTimerUpdate)
  case readReceipt(ReadReceipt)
  case typing(TypingIndicator)
  case unsend(UnsendRequest)
  case dataExtraction(DataExtraction)
  case messageRequestResponse(MessageRequestResponse)
  case call(CallMessage)
  case groupUpdate(GroupUpdateMessage)
  case legacyConfig(LegacyConfigMessage)
}

extension MessageContent: CoreValue {
  init(_ body: sc_message_body) throws(SessionError) {
    let profile = body.has_profile ? try MessageProfile(body.profile) : nil
    let syncTarget = body.has_sync_target ? SessionID(body.sync_target) : nil
    switch body.kind {
    case SC_MESSAGE_VISIBLE:
      self = .visible(try VisibleMessage(body.of.visible, profile: profile, syncTarget: syncTarget))
    case SC_MESSAGE_REACTION:
      self = .reaction(try MessageReaction(body.of.reaction, profile: profile, syncTarget: syncTarget))
    case SC_MESSAGE_TIMER_UPDATE:
      self = .timerUpdate(ExpirationTimerUpdate(profile: profile, syncTarget: syncTarget))
    case SC_MESSAGE_READ_RECEIPT: self = .readReceipt(try ReadReceipt(body.of.receipt))
    case SC_MESSAGE_TYPING: self = .typing(try TypingIndicator(body.of.typing))
    case SC_MESSAGE_UNSEND: self = .unsend(try UnsendRequest(body.of.unsend))
    case SC_MESSAGE_DATA_EXTRACTION: self = .dataExtraction(try DataExtraction(savedAt: body.of.saved_ms))
    case SC_MESSAGE_REQUEST_RESPONSE: self = .messageRequestResponse(MessageRequestResponse(profile: profile))
    case SC_MESSAGE_LEGACY_CONFIG: self = .legacyConfig(LegacyConfigMessage(body.of.legacy_config))
    case SC_MESSAGE_CALL_PRE_OFFER, SC_MESSAGE_CALL_OFFER, SC_MESSAGE_CALL_ANSWER,
      SC_MESSAGE_CALL_PROVISIONAL_ANSWER, SC_MESSAGE_CALL_CANDIDATES, SC_MESSAGE_CALL_END:
      self = .call(CallMessage(body.of.call, kind: body.kind))
    default: self = .groupUpdate(try GroupUpdateMessage(body.of.group, profile: profile))
    }
  }

  /// The body of the kind, with its profile and sync target.
  func core(in arena: CoreArena) -> sc_message_body {
    var body = sc_message_body()
    body.kind = kind.core
    put(profile?.core(in: arena), &body.has_profile, &body.profile)
    put(syncTarget?.core, &body.has_sync_target, &body.sync_target)
    switch self {
    case .visible(let message): body.of.visible = message.core(in: arena)
    case .reaction(let reaction): body.of.reaction = reaction.core(in: arena)
    case .readReceipt(let receipt): body.of.receipt = receipt.core(in: arena)
    case .typing(let typing): body.of.typing = typing.core
    case .unsend(let request): body.of.unsend = request.core
    case .dataExtraction(let extraction): body.of.saved_ms = extraction.targetSentAt?.milliseconds ?? 0
    case .call(let call): body.of.call = call.core(in: arena)
    case .groupUpdate(let update): body.of.group = update.core(in: arena)
    case .legacyConfig(let config): body.of.legacy_config = config.core(in: arena)
    case .timerUpdate, .messageRequestResponse: break
    }
    return body
  }

  /// Throws if it breaks a rule that applies to any destination.
  func check() throws(SessionError) {
    try MessageRule.check(withCore { sc_message_body_check($0) })
  }
}

extension MessageContent {
  public var kind: MessageKind {
    switch self {
    case .visible: .visible
    case .reaction: .reaction
    case .timerUpdate: .timerUpdate
    case .readReceipt: .readReceipt
    case .typing: .typing
    case .unsend: .unsend
    case .dataExtraction: .dataExtraction
    case .messageRequestResponse: .messageRequestResponse
    case .call(let call): call.step.kind
    case .groupUpdate(let update): update.kind
    case .legacyConfig: .legacyConfig
    }
  }

  /// In a copy for own devices: the recipient of the original message.
  public var syncTarget: SessionID? {
    switch self {
    case .visible(let message): message.syncTarget
    case .reaction(let reaction): reaction.syncTarget
    case .timerUpdate(let update): update.syncTarget
    default: nil
    }
  }

  private var profile: MessageProfile? {
    switch self {
    case .visible(let message): message.profile
    case .reaction(let reaction): reaction.profile
    case .timerUpdate(let update): update.profile
    case .messageRequestResponse(let response): response.profile
    case .groupUpdate(let update): update.profile
    default: nil
    }
  }
}
