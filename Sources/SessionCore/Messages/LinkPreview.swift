internal import CSessionCore

/// The sender's preview of a link in the text.
public struct LinkPreview: Equatable, Sendable, CoreValue {
  public let url: String
  public let title: String?
  public let image: MessageAttachment?

  public init(url: String, title: String? = nil, image: MessageAttachment? = nil) throws(SessionError) {
    self.url = url
    self.title = title
    self.image = image
    try MessageRule.check(withCore { sc_link_preview_check($0) })
  }

  init(_ preview: sc_link_preview) throws(SessionError) {
    url = preview.url.text ?? ""
    title = preview.title.text
    image = preview.has_image ? try MessageAttachment(preview.image) : nil
  }

  func core(in arena: CoreArena) -> sc_link_preview {
    sc_link_preview(
      url: arena.text(url), title: arena.text(title), has_image: image != nil,
      image: image?.core(in: arena) ?? sc_message_attachment())
  }
}
