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
  init(_ fields: Sc__OpenGroupInvitation) throws(SessionError) {
    self.name = try fields.name.requiredText()
    self.url = try fields.url.requiredText()
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__OpenGroupInvitation> {
    let fields = arena.make(sc__open_group_invitation__init)
    fields.pointee.name = arena.text(name)
    fields.pointee.url = arena.text(url)
    return fields
  }
}
