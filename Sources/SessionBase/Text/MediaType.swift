/// The media type of a file, guessed from the extension of its name.
public enum MediaType {
  /// Any bytes at all.
  public static let unknown = "application/octet-stream"

  /// The usual type for the name's extension, or ``unknown``.
  public static func of(fileNamed name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return unknown }
    return known[name[name.index(after: dot)...].lowercased()] ?? unknown
  }

  private static let known = [
    "aac": "audio/aac", "avif": "image/avif", "csv": "text/csv", "flac": "audio/flac", "gif": "image/gif",
    "heic": "image/heic", "heif": "image/heif", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "json": "application/json", "m4a": "audio/mp4", "m4v": "video/mp4", "mkv": "video/x-matroska",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "oga": "audio/ogg", "ogg": "audio/ogg",
    "opus": "audio/ogg", "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml",
    "txt": "text/plain",
    "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "zip": "application/zip",
  ]
}
