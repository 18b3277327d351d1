internal import CSessionCore

/// A card with the address of a community.
public struct CommunityInvitation: Hashable, Sendable {
  /// What the community is called.
  public let name: String
  public let url: String

  public init(to link: CommunityLink, name: String) {
    self.name = name
    self.url = link.description
  }

  /// Where it leads; nil when the address is none of a community, and is shown as mere text.
  public var link: CommunityLink? { CommunityLink(url) }
}

extension CommunityInvitation {
  /// Nil where the message has none.
  init?(_ message: sc_visible_body) {
    guard message.has_invitation else { return nil }
    name = message.invitation_name.text ?? ""
    url = message.invitation_url.text ?? ""
  }
}
