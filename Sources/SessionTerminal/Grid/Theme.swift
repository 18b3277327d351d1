/// The colours of the roles.
package struct Theme: Hashable, Sendable {
  package enum Name: String, CaseIterable, Sendable {
    case dark, light, contrast, mono
  }

  /// What a terminal can show.
  package enum Depth: Sendable {
    case none, sixteen, many, all
  }

  package struct Colour: Hashable, Sendable {
    package let red, green, blue: Int
    /// The nearest of the sixteen that every terminal has.
    package let basic: Int

    fileprivate init(_ number: Int, basic: Int) {
      (red, green, blue) = (number >> 16 & 0xFF, number >> 8 & 0xFF, number & 0xFF)
      self.basic = basic
    }

    /// The nearest of the 256.
    var indexed: Int {
      func step(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : min((value - 35) / 40, 5) }
      return 16 + 36 * step(red) + 6 * step(green) + step(blue)
    }
  }

  package let name: Name
  /// The background that the colours are chosen for.
  package let background: Colour
  private let colours: [Style.Role: Colour]

  /// The colour of a role; nil for the terminal's own.
  package func colour(of role: Style.Role) -> Colour? { colours[role] }

  /// The attributes that a role has beside its colour, so that nothing depends on colour alone.
  static func attributes(of role: Style.Role) -> Style.Attributes {
    switch role {
    case .own, .other, .accent, .failed: .bold
    case .mention: [.bold, .underlined]
    case .link: .underlined
    case .match, .chosen: .reversed
    case .text, .dim, .border, .hint, .note, .progress, .code: []
    }
  }

  package init(_ name: Name) {
    self.name = name
    switch name {
    case .mono: (background, colours) = (Colour(0, basic: 0), [:])
    case .dark:
      background = Colour(0x1C1C1C, basic: 0)
      colours = [
        .dim: Colour(0x9E9E9E, basic: 7), .own: Colour(0x8FD7A0, basic: 2),
        .other: Colour(0x87BFFF, basic: 6),
        .accent: Colour(0xFFD787, basic: 3), .failed: Colour(0xFF8787, basic: 1),
        .mention: Colour(0xFFAF5F, basic: 3), .link: Colour(0x87D7FF, basic: 6),
        .border: Colour(0x8A8A8A, basic: 7),
        .hint: Colour(0xAFAFAF, basic: 7), .note: Colour(0xA8A8A8, basic: 7),
        .progress: Colour(0x8FD7A0, basic: 2),
        .code: Colour(0xD7C9A7, basic: 3),
      ]
    case .light:
      background = Colour(0xFFFFFF, basic: 15)
      colours = [
        .dim: Colour(0x5F5F5F, basic: 0), .own: Colour(0x006B2D, basic: 2),
        .other: Colour(0x004A9F, basic: 4),
        .accent: Colour(0x7A4F00, basic: 5), .failed: Colour(0xAF0000, basic: 1),
        .mention: Colour(0x8A3B00, basic: 5), .link: Colour(0x00508A, basic: 4),
        .border: Colour(0x6A6A6A, basic: 0),
        .hint: Colour(0x4E4E4E, basic: 0), .note: Colour(0x585858, basic: 0),
        .progress: Colour(0x006B2D, basic: 2),
        .code: Colour(0x5A4A1A, basic: 0),
      ]
    case .contrast:
      background = Colour(0x000000, basic: 0)
      colours = [
        .own: Colour(0x00FF00, basic: 10), .other: Colour(0x00FFFF, basic: 14),
        .accent: Colour(0xFFFF00, basic: 11),
        .failed: Colour(0xFF8F8F, basic: 9), .mention: Colour(0xFFFF00, basic: 11),
        .link: Colour(0x00FFFF, basic: 14),
      ]
    }
  }
}
