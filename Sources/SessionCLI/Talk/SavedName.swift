/// The names of files of other people, in folders of this machine.
enum SavedName {
  /// The name that its sender gave, but so that it is neither hidden nor taken for an option of some command; a made-up
  /// one where there is none.
  static func of(_ name: String?, contentType: String, message: Int64, number: Int) -> String {
    guard let name, !name.isEmpty else { return "attachment-\(message)-\(number)" + ending(of: contentType) }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let last = parts.joined(separator: "_")
    let risky = last.prefix { $0 == "." || $0 == "-" || $0 == "~" }
    return String(repeating: "_", count: risky.count) + last.dropFirst(risky.count)
  }

  /// The file name extension for a type of picture, recording or film.
  private static func ending(of contentType: String) -> String {
    let parts = contentType.split(separator: "/")
    guard parts.count == 2, ["image", "audio", "video"].contains(parts[0]), parts[1].count <= 5,
      parts[1].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
    else { return "" }
    return "." + parts[1]
  }
}
