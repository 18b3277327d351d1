import SessionBase
import SessionCore

/// File names from untrusted senders.
enum AttachmentName {
  /// The longest name in file systems, in bytes.
  static let maxBytes = 255

  /// The usable part of a name: its last path component, without control, formatting or direction characters. Nil if
  /// nothing is left.
  static func usable(_ text: String) -> String? {
    let last = text.split(whereSeparator: { "/\\:".contains($0) }).last.map(String.init) ?? ""
    let scalars = last.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      // Control and formatting characters, such as direction marks, and code points that are not text.
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
      default: true
      }
    }
    var name = String(String.UnicodeScalarView(scalars))
    while let first = name.first, first.isWhitespace { name.removeFirst() }
    while let end = name.last, end.isWhitespace { name.removeLast() }
    name = cut(name)
    // Names made of dots are folders.
    return name.allSatisfy { $0 == "." } ? nil : name
  }

  /// Shortens a name and keeps its extension, which shows the type.
  private static func cut(_ name: String) -> String {
    guard name.utf8.count > maxBytes else { return name }
    let dot = name.lastIndex(of: ".")
    let ending = dot.map { String(name[$0...]) }.flatMap { $0.utf8.count <= 16 ? $0 : nil } ?? ""
    var stem = Substring(ending.isEmpty ? name : String(name.dropLast(ending.count)))
    while stem.utf8.count + ending.utf8.count > maxBytes { stem = stem.dropLast() }
    return stem + ending
  }
}

/// Content types from untrusted senders.
enum ContentType {
  static let unknown = MediaType.unknown
  private static let maxLength = 127

  /// Returns the type if it has a valid form: two words of ordinary characters.
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
