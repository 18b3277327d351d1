/// A sequence that begins with `ESC [`.
struct ControlSequence {
  private let prefix: UInt8?
  private let numbers: [Int]
  private let middle: [UInt8]
  private let end: UInt8

  /// Numbers above this are no number of a key, a mode or a place.
  private static let largest = 1_000_000

  init(_ parameters: [UInt8], end: UInt8) {
    var rest = parameters[...]
    if let first = rest.first, 0x3C...0x3F ~= first {
      prefix = first
      rest = rest.dropFirst()
    } else {
      prefix = nil
    }
    let tail = rest.firstIndex { $0 < 0x30 } ?? rest.endIndex
    middle = Array(rest[tail...])
    numbers = rest[..<tail].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
      part in
      // What stands behind a colon says more of the same number.
      var number = 0
      for digit in part.prefix(while: { $0 != UInt8(ascii: ":") }) where 0x30...0x39 ~= digit {
        number = min(number * 10 + Int(digit - 0x30), Self.largest)
      }
      return number
    }
    self.end = end
  }

  private func number(_ index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }

  /// Nil for sequences that mean nothing here.
  var event: InputEvent? {
    switch prefix {
    case UInt8(ascii: "<"): mouse
    case UInt8(ascii: "?"): answer.map { .answer($0) }
    case nil: key
    default: end == UInt8(ascii: "c") ? .answer(.other) : nil
    }
  }

  // MARK: - Keys

  private static let letters: [UInt8: Key.Code] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "P"): .function(1),
    UInt8(ascii: "Q"): .function(2),
    UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
  ]

  private static let tildes: [Int: Key.Code] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end, 11: .function(1),
    12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5), 17: .function(6),
    18: .function(7),
    19: .function(8), 20: .function(9), 21: .function(10), 23: .function(11), 24: .function(12),
  ]

  private var key: InputEvent? {
    guard middle.isEmpty else { return nil }
    switch end {
    case UInt8(ascii: "I") where numbers.allSatisfy({ $0 == 0 }): return .focus(true)
    case UInt8(ascii: "O") where numbers.allSatisfy({ $0 == 0 }): return .focus(false)
    case UInt8(ascii: "Z"): return .key(Key(.tab, .shift))
    case UInt8(ascii: "~"): return Self.tildes[number(0)].map { .key(Key($0, modifiers)) }
    case UInt8(ascii: "u"): return character(number(0)).map { .key($0) }
    case UInt8(ascii: "n"): return .answer(number(0) == 0 ? .fence : .other)
    case UInt8(ascii: "R") where number(0) > 1: return .answer(.other)
    case UInt8(ascii: "t"): return .answer(.other)
    default: return Self.letters[end].map { .key(Key($0, modifiers)) }
    }
  }

  private var modifiers: Key.Modifiers {
    Key.Modifiers(rawValue: max(number(1) - 1, 0) & 7)
  }

  /// A key of the keyboard protocol, which gives the number of its character.
  private func character(_ number: Int) -> Key? {
    switch number {
    case 13, 57414: return Key(.enter, modifiers)
    case 9: return Key(.tab, modifiers)
    case 27: return Key(.escape, modifiers)
    case 8, 127: return Key(.backspace, modifiers)
    case 57344...63743: return nil
    default:
      guard number >= 32, let scalar = Unicode.Scalar(UInt32(number)), scalar.isSafeOnTerminal else {
        return nil
      }
      return Key(.character(Character(scalar)), modifiers)
    }
  }

  // MARK: - The mouse

  private var mouse: InputEvent? {
    guard numbers.count == 3, end == UInt8(ascii: "M") || end == UInt8(ascii: "m") else { return nil }
    let (x, y) = (number(1) - 1, number(2) - 1)
    guard 0..<ScreenSize.largest ~= x, 0..<ScreenSize.largest ~= y else { return nil }
    let button = number(0)
    let kind: Mouse.Kind
    switch button & 0b1110_0011 {
    case 64: kind = .wheelUp
    case 65: kind = .wheelDown
    case 0: kind = end == UInt8(ascii: "m") ? .release : .press
    case 32: kind = .drag
    default: return nil
    }
    return .mouse(Mouse(kind, x: x, y: y))
  }

  // MARK: - Answers

  private var answer: TerminalAnswer? {
    switch (end, middle) {
    case (UInt8(ascii: "c"), []): .attributes(numbers)
    case (UInt8(ascii: "u"), []): .keyboard
    case (UInt8(ascii: "y"), [UInt8(ascii: "$")]): .mode(number(0), isKnown: 1...3 ~= number(1))
    default: .other
    }
  }
}

extension TerminalAnswer {
  /// Reads an answer that has a text.
  init(kind: UInt8, text: [UInt8]) {
    let text = String(decoding: text, as: UTF8.self)
    switch kind {
    case UInt8(ascii: "P") where text.hasPrefix(">|"): self = .name(String(text.dropFirst(2).prefix(64)))
    case UInt8(ascii: "]") where text.hasPrefix("11;rgb:"):
      let parts = text.dropFirst(7).split(separator: "/").map { part -> Int? in
        guard 1...4 ~= part.utf8.count, let number = Int(part, radix: 16), number >= 0 else { return nil }
        return number * 255 / ((1 << (4 * part.utf8.count)) - 1)
      }
      guard parts.count == 3, let red = parts[0], let green = parts[1], let blue = parts[2] else {
        self = .other
        return
      }
      self = .background(red: red, green: green, blue: blue)
    default: self = .other
    }
  }
}
