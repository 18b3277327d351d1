extension Unicode.Scalar {
  /// False for scalars that could move the cursor, change colours or turn a line around.
  package var isSafeOnTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: false  // control characters
    case 0x2028, 0x2029: false  // ends of lines and paragraphs
    case 0x202A...0x202E, 0x2066...0x2069, 0x061C, 0x200E, 0x200F: false  // what turns the direction around
    case 0xFFF9...0xFFFB: false  // annotations between lines
    default: true
    }
  }

  /// True for scalars that take no space and join or choose the forms of others.
  var isJoiner: Bool {
    switch value {
    case 0x200B...0x200D, 0x2060...0x2064, 0xFEFF, 0x00AD, 0x180E, 0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0:
      true
    default: false
    }
  }

  /// True for the letters and the end of a sequence that spells a flag.
  var isTag: Bool { 0xE0000...0xE007F ~= value }

  var isRegionalIndicator: Bool { 0x1F1E6...0x1F1FF ~= value }

  var isEmojiModifier: Bool { 0x1F3FB...0x1F3FF ~= value }

  /// True for scripts that are written from right to left.
  var isRightToLeft: Bool {
    switch value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }

  /// True for marks that are drawn over the letter before them.
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }
}
