/// Mentions of people in a text: `@` and an id.
enum SearchMentions {
  /// The hexadecimal digits of an id.
  private static let idLength = 66

  /// The text with the ids of mentioned people replaced by their names, if known.
  static func replaced(
    in text: String, by name: (String) throws(StorageError) -> String?
  ) throws(StorageError) -> String {
    guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
    var replaced = ""
    var rest = text[...]
    while let sign = rest.firstIndex(of: "@") {
      let start = rest.index(after: sign)
      let id = rest[start...].prefix(idLength)
      replaced += rest[...sign]
      rest = rest[start...]
      guard isID(id), let name = try name(String(id)) else { continue }
      replaced += name
      rest = rest.dropFirst(idLength)
    }
    return replaced + rest
  }

  private static func isID(_ text: Substring) -> Bool {
    text.utf8.count == idLength
      && ["05", "15", "25"].contains(text.prefix(2))
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }
}
