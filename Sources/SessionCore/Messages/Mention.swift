internal import CSessionCore

/// A person mentioned in a text, as `@` and their id.
public struct Mention: Hashable, Sendable {
  public let id: SessionID
  /// Its range in the text, including the `@`.
  public let range: Range<String.Index>

  /// All mentions in a text, in order.
  static func all(in text: String) -> [Mention] {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBufferPointer { bytes in
      var mentions: [Mention] = []
      var rest = sc_bytes(bytes)
      var id = sc_id()
      var place = sc_bytes()
      while sc_message_next_mention(&id, &place, &rest) {
        guard let start = bytes.baseAddress, let sign = place.ptr else { break }
        let from = text.utf8.index(text.startIndex, offsetBy: sign - start)
        mentions.append(Mention(id: SessionID(id), range: from..<text.utf8.index(from, offsetBy: place.len)))
      }
      return mentions
    }
  }
}
