import CUTF8Proc
import Glibc

/// A name as it is compared: two names that differ only in case, spaces, compatible forms or invisible characters have the
/// same key.
struct NameKey: Hashable, Sendable {
  let text: String

  init(_ name: String) {
    let folded = Self.folded(name)
    // Control characters are shown as spaces or not at all.
    let words = folded.unicodeScalars.split { scalar in
      scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }
    text = words.map { String(Substring($0)) }.joined(separator: " ")
  }

  var isEmpty: Bool { text.isEmpty }

  /// True for `me`, and for what looks like it.
  var isReserved: Bool {
    let letters = text.unicodeScalars.map { Self.lookalikes[$0] ?? $0 }
    return letters == Array("me".unicodeScalars)
  }

  private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
    "\u{43C}": "m", "\u{1D0D}": "m", "\u{217F}": "m", "\u{28D}": "m", "\u{271}": "m",
    "\u{435}": "e", "\u{4BD}": "e", "\u{212E}": "e", "\u{1D07}": "e", "\u{25B}": "e",
  ]

  /// The text without case, compatible forms and characters that are not drawn.
  private static func folded(_ text: String) -> String {
    let flags =
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue
      | UTF8PROC_CASEFOLD.rawValue | UTF8PROC_IGNORE.rawValue
    var text = text
    return text.withUTF8 { bytes in
      var mapped: UnsafeMutablePointer<UInt8>?
      let count = utf8proc_map(bytes.baseAddress, bytes.count, &mapped, utf8proc_option_t(rawValue: flags))
      defer { free(mapped) }
      guard let mapped, count > 0 else { return "" }
      return String(decoding: UnsafeBufferPointer(start: mapped, count: count), as: UTF8.self)
    }
  }
}
