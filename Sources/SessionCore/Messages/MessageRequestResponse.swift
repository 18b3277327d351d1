/// Reports that a message request was accepted.
public struct MessageRequestResponse: Equatable, Sendable {
  public let profile: MessageProfile?

  public init(profile: MessageProfile? = nil) {
    self.profile = profile
  }
}
