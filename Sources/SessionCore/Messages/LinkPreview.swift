internal import CSessionCore

/// What a sender tells about a page whose address is in the text.
public struct LinkPreview: Equatable, Sendable {
  public let url: String
  public let title: String?
  public let image: MessageAttachment?

  public init(url: String, title: String? = nil, image: MessageAttachment? = nil) throws(SessionError) {
    try MessageRule.previewURL.require(Self.isUsable(url))
    self.url = url
    self.title = title
    self.image = image
  }

  private static func isUsable(_ url: String) -> Bool {
    url.lowercased().hasPrefix("https://") && !url.unicodeScalars.contains { $0.properties.isWhitespace }
  }
}

extension LinkPreview {
  /// Nil for one that is not to be shown with `body`.
  init?(_ fields: Sc__Preview, in body: String) throws(SessionError) {
    let url = try fields.url.requiredText()
    let title = try fields.title.text()
    let image = try fields.image.map { (image) throws(SessionError) in try MessageAttachment(image.pointee) }
    guard Self.isUsable(url), body.contains(url) else { return nil }
    try self.init(url: url, title: title, image: image ?? nil)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__Preview> {
    let fields = arena.make(sc__preview__init)
    fields.pointee.url = arena.text(url)
    fields.pointee.title = arena.text(title)
    fields.pointee.image = image?.write(to: arena)
    return fields
  }
}
