/// A script of Unicode, such as Greek or Old_Italic.
public struct UnicodeScript: Hashable, Sendable {
  /// In lower case.
  public let name: String

  /// Nil for a name that Unicode does not have.
  public init?(_ name: String) {
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte), (try? Self.letter(of: name)) != nil else {
      return nil
    }
    self.name = name.lowercased()
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: false
    }
  }

  /// True if a text has a letter of the script.
  func isUsed(in text: String) -> Bool {
    guard let letter = try? Self.letter(of: name) else { return false }
    return text.contains(letter)
  }

  /// What finds a letter. It cannot be kept, because it is not for several tasks at once, and is made in microseconds.
  private static func letter(of script: String) throws -> Regex<AnyRegexOutput> {
    try Regex("\\p{Script=\(script)}").matchingSemantics(.unicodeScalar)
  }
}
