/// Captions of files.
enum AttachmentCaption {
  /// The longest received caption that is kept, in characters.
  static let maxKept = 2000

  /// The caption to store and show; nil if empty.
  static func shown(_ text: String) -> String? {
    let kept = String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxKept))).shown
    return kept.isEmpty ? nil : kept
  }

  /// The caption to send; nil if empty.
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
