import SessionStorage

/// Whether a program that sends a message asks the site of a link for the preview: the site then sees its address.
public enum LinkPreviewUse: String, Sendable, CaseIterable, Codable {
  case off
  /// After asking the person at the terminal.
  case ask
  case on
}

extension Setting where Value == String {
  static let linkPreviews = Setting("linkPreviews")
}

extension Reading where Self: ~Copyable {
  /// What is set; off if this program cannot read it.
  func linkPreviewUse() throws -> LinkPreviewUse {
    try value(of: .linkPreviews).flatMap(LinkPreviewUse.init) ?? .off
  }
}

extension Messenger {
  /// Sets whether programs of this device make previews of links; off by default. ``OutgoingText/preview`` sends one.
  public nonisolated func setLinkPreviews(_ use: LinkPreviewUse) async throws {
    try await perform(.account(.setLinkPreviews(use)))
  }
}
