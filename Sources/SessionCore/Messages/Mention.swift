/// A person named in a text, as `@` and their id.
public struct Mention: Hashable, Sendable {
  public let id: SessionID
  /// Where it stands in the text, the `@` included.
  public let range: Range<String.Index>

  private static let idCharacters = 66

  /// The mentions of a text, from its beginning to its end.
  static func all(in text: String) -> [Mention] {
    var mentions: [Mention] = []
    let bytes = text.utf8
    var at = bytes.startIndex
    while let sign = bytes[at...].firstIndex(of: UInt8(ascii: "@")) {
      let start = bytes.index(after: sign)
      at = start
      guard let end = bytes.index(start, offsetBy: idCharacters, limitedBy: bytes.endIndex),
        let id = SessionID(String(decoding: bytes[start..<end], as: UTF8.self))
      else { continue }
      mentions.append(Mention(id: id, range: sign..<end))
      at = end
    }
    return mentions
  }
}
