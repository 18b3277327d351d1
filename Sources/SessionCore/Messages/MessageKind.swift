/// The kinds of message, as far as they are treated differently.
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
}
