/// A key, with the keys held beside it.
package struct Key: Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    case character(Character)
    case enter, tab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    case function(Int)
  }

  package struct Modifiers: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let shift = Self(rawValue: 1)
    package static let alt = Self(rawValue: 2)
    package static let control = Self(rawValue: 4)
  }

  package let code: Code
  package let modifiers: Modifiers

  package init(_ code: Code, _ modifiers: Modifiers = []) { (self.code, self.modifiers) = (code, modifiers) }

  private static let names: [(Code, String)] = [
    (.enter, "Enter"), (.tab, "Tab"), (.escape, "Esc"), (.backspace, "Backspace"), (.delete, "Delete"),
    (.insert, "Insert"), (.up, "Up"), (.down, "Down"), (.left, "Left"), (.right, "Right"), (.home, "Home"),
    (.end, "End"), (.pageUp, "PgUp"), (.pageDown, "PgDn"), (.character(" "), "Space"),
  ]

  /// Reads a key as people write it: `Ctrl-K`, `Alt-1`, `F9`, `r`. Nil for anything else, and for keys that terminals
  /// cannot tell from others.
  package init?(_ text: String) {
    var (rest, modifiers) = (text[...], Modifiers())
    for (prefix, modifier) in [("Ctrl-", Modifiers.control), ("Alt-", .alt), ("Shift-", .shift)]
    where rest.hasPrefix(prefix) {
      rest = rest.dropFirst(prefix.count)
      modifiers.insert(modifier)
    }
    if let named = Self.names.first(where: { $0.1 == rest }) {
      self.init(named.0, modifiers)
    } else if rest.count > 1, rest.first == "F", let number = Int(rest.dropFirst()), 1...12 ~= number {
      self.init(.function(number), modifiers)
    } else if rest.count == 1, let character = rest.first {
      guard modifiers.contains(.control) else {
        self.init(.character(character), modifiers)
        return
      }
      let lower = Character(character.lowercased())
      guard !["i", "m", "h", "["].contains(lower) else { return nil }
      self.init(.character(lower), modifiers)
    } else {
      return nil
    }
  }
}

extension Key: CustomStringConvertible {
  package var description: String {
    var text = ""
    if modifiers.contains(.control) { text += "Ctrl-" }
    if modifiers.contains(.alt) { text += "Alt-" }
    if modifiers.contains(.shift) { text += "Shift-" }
    switch code {
    case .function(let number): return text + "F\(number)"
    case .character(let character) where character != " ":
      return text + (modifiers.contains(.control) ? character.uppercased() : String(character))
    default: return text + (Self.names.first { $0.0 == code }?.1 ?? "")
    }
  }
}
