internal import CSessionCore

/// A card with the address of a community.
public struct CommunityInvitation: Hashable, Sendable {
  public let name: String
  public let url: String

  public init(to link: CommunityLink, name: String) {
    self.name = name
    self.url = link.description
  }

  /// The community link; nil if the URL is not one and is shown as plain text.
  public var link: CommunityLink? { CommunityLink(url) }

  /// Nil if the message has none.
  init?(_ message: sc_visible_body) {
    guard message.has_invitation else { return nil }
    name = message.invitation_name.text ?? ""
    url = message.invitation_url.text ?? ""
  }
}
