import SessionBase
import SessionCore

/// Names of files as strangers give them.
enum AttachmentName {
  /// The longest name that file systems take, in bytes.
  static let maxBytes = 255

  /// What of a name can be shown and used: its last part, without what moves, hides or turns around. Nil for nothing.
  static func usable(_ text: String) -> String? {
    let last = text.split(whereSeparator: { "/\\:".contains($0) }).last.map(String.init) ?? ""
    let scalars = last.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      // Control characters, those that turn the direction around, and what is no text.
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
      default: true
      }
    }
    var name = String(String.UnicodeScalarView(scalars))
    while let first = name.first, first.isWhitespace { name.removeFirst() }
    while let end = name.last, end.isWhitespace { name.removeLast() }
    name = cut(name)
    // Names of dots are folders.
    return name.allSatisfy { $0 == "." } ? nil : name
  }

  /// The end of a name tells what it is: the beginning stays, and that.
  private static func cut(_ name: String) -> String {
    guard name.utf8.count > maxBytes else { return name }
    let dot = name.lastIndex(of: ".")
    let ending = dot.map { String(name[$0...]) }.flatMap { $0.utf8.count <= 16 ? $0 : nil } ?? ""
    var stem = Substring(ending.isEmpty ? name : String(name.dropLast(ending.count)))
    while stem.utf8.count + ending.utf8.count > maxBytes { stem = stem.dropLast() }
    return stem + ending
  }
}

/// Types of contents as strangers give them.
enum ContentType {
  static let unknown = MediaType.unknown
  private static let maxLength = 127

  /// The same, if it looks like one: two words of usual characters.
  static func usable(_ text: String) -> String {
    let lower = text.lowercased()
    let parts = lower.split(separator: "/", omittingEmptySubsequences: false)
    guard lower.utf8.count <= maxLength, parts.count == 2, parts.allSatisfy(isWord) else { return unknown }
    return lower
  }

  private static func isWord(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
          UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
