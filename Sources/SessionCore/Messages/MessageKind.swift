internal import CSessionCore

/// The kinds of message, in the order and with the names that the core gives them.
public enum MessageKind: String, Sendable, CaseIterable {
  case visible
  case reaction
  case timerUpdate
  case readReceipt
  case typing
  case unsend
  case dataExtraction
  case messageRequestResponse
  case callPreOffer
  case callOffer
  case callAnswer
  case callProvisionalAnswer
  case callCandidates
  case callEnd
  case groupInvite
  case groupPromotion
  case groupInfoChange
  case groupMemberChange
  case groupMemberLeft
  case groupMemberLeftNotification
  case groupInviteResponse
  case groupContentDeletion
  case legacyConfig

  var core: sc_message_kind {
    guard let index = Self.allCases.firstIndex(of: self) else { preconditionFailure("a kind is one of all") }
    return sc_message_kind(UInt32(index))
  }
}
