internal import CSessionCore

/// What a message is about: one of these, whatever else stands in it.
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

extension MessageContent {
  /// The first body that is there, in the order that all clients look for them.
  init(_ fields: Sc__Content) throws(SessionError) {
    let data = fields.data_message?.pointee
    if let receipt = fields.receipt_message?.pointee {
      self = .readReceipt(try ReadReceipt(receipt))
    } else if let typing = fields.typing_message?.pointee {
      self = .typing(try TypingIndicator(typing))
    } else if let data, let update = data.group_update_message?.pointee {
      self = .groupUpdate(try GroupUpdateMessage(update, of: data))
    } else if let extraction = fields.data_extraction_notification?.pointee {
      self = .dataExtraction(try DataExtraction(extraction))
    } else if let data, data.setFlags == ExpirationTimerUpdate.flag {
      self = .timerUpdate(try ExpirationTimerUpdate(data))
    } else if let unsend = fields.unsend_request?.pointee {
      self = .unsend(try UnsendRequest(unsend))
    } else if let response = fields.message_request_response?.pointee {
      self = .messageRequestResponse(try MessageRequestResponse(response))
    } else if let data {
      self = try Self(data)
    } else if let call = fields.call_message?.pointee {
      self = .call(try CallMessage(call))
    } else if let config = fields.shared_config_message?.pointee {
      self = .legacyConfig(LegacyConfigMessage(config))
    } else {
      throw SessionError(.contentEmpty)
    }
  }

  private init(_ data: Sc__DataMessage) throws(SessionError) {
    if let reaction = data.reaction?.pointee {
      self = .reaction(try MessageReaction(reaction, of: data))
    } else {
      self = .visible(try VisibleMessage(data))
    }
  }

  func write(to fields: UnsafeMutablePointer<Sc__Content>, arena: ContentArena) {
    switch self {
    case .visible(let message): fields.pointee.data_message = message.write(to: arena)
    case .reaction(let reaction): fields.pointee.data_message = reaction.write(to: arena)
    case .timerUpdate(let update): fields.pointee.data_message = update.write(to: arena)
    case .groupUpdate(let update): fields.pointee.data_message = update.write(to: arena)
    case .readReceipt(let receipt): fields.pointee.receipt_message = receipt.write(to: arena)
    case .typing(let typing): fields.pointee.typing_message = typing.write(to: arena)
    case .unsend(let request): fields.pointee.unsend_request = request.write(to: arena)
    case .dataExtraction(let extraction):
      fields.pointee.data_extraction_notification = extraction.write(to: arena)
    case .messageRequestResponse(let response):
      fields.pointee.message_request_response = response.write(to: arena)
    case .call(let call): fields.pointee.call_message = call.write(to: arena)
    case .legacyConfig(let config): fields.pointee.shared_config_message = config.write(to: arena)
    }
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

  /// In a copy for own devices: whose conversation the message belongs to.
  public var syncTarget: SessionID? {
    switch self {
    case .visible(let message): message.syncTarget
    case .reaction(let reaction): reaction.syncTarget
    case .timerUpdate(let update): update.syncTarget
    default: nil
    }
  }
}

extension CallMessage.Step {
  fileprivate var kind: MessageKind {
    switch self {
    case .preOffer: .callPreOffer
    case .offer: .callOffer
    case .answer: .callAnswer
    case .provisionalAnswer: .callProvisionalAnswer
    case .candidates: .callCandidates
    case .end: .callEnd
    }
  }
}
