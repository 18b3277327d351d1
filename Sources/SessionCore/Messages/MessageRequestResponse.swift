internal import CSessionCore

/// Tells that a message request was accepted.
public struct MessageRequestResponse: Equatable, Sendable {
  public let profile: MessageProfile?

  public init(profile: MessageProfile? = nil) {
    self.profile = profile
  }
}

extension MessageRequestResponse {
  init(_ fields: Sc__MessageRequestResponse) throws(SessionError) {
    try MessageRule.responseRefusal.require(fields.is_approved != 0)
    profile = try MessageProfile(fields.profile, pictureKey: fields.profile_key)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__MessageRequestResponse> {
    let fields = arena.make(sc__message_request_response__init)
    fields.pointee.is_approved = 1
    fields.pointee.profile = profile?.write(to: arena)
    if let key = profile?.picture?.key {
      fields.pointee.has_profile_key = 1
      fields.pointee.profile_key = arena.data(key)
    }
    return fields
  }
}
