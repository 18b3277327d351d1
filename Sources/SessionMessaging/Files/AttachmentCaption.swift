/// Captions of files.
enum AttachmentCaption {
  /// How much of what a stranger says is kept, in characters.
  static let maxKept = 2000

  /// As it may be kept and shown; nil for nothing.
  static func shown(_ text: String) -> String? {
    let kept = String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxKept))).shown
    return kept.isEmpty ? nil : kept
  }

  /// As it may be sent; nil for nothing.
  static func sendable(_ text: String?) throws -> String? {
    guard let caption = text?.shown, !caption.isEmpty else { return nil }
    let length = caption.unicodeScalars.count
    guard length <= OutgoingFile.maxCaptionLength else {
      throw MessengerError(
        .fileUnavailable,
        "a caption has up to \(OutgoingFile.maxCaptionLength) characters, this one has \(length)")
    }
    return caption
  }
}
