/// What a terminal sends.
package enum InputEvent: Hashable, Sendable {
  case key(Key)
  /// Pasted text. `isCut` tells that its end is missing, because it was too long.
  case paste(String, isCut: Bool)
  case mouse(Mouse)
  /// The window of the terminal has the focus now, or lost it.
  case focus(Bool)
  case answer(TerminalAnswer)
}

/// What was done with the mouse, at a place from 0.
package struct Mouse: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case press, drag, release
    case wheelUp, wheelDown
  }

  package let kind: Kind
  package let x, y: Int

  package init(_ kind: Kind, x: Int, y: Int) { (self.kind, self.x, self.y) = (kind, x, y) }
}

/// The answer to a question that this program asks its terminal.
package enum TerminalAnswer: Hashable, Sendable {
  /// The name and version of the terminal.
  case name(String)
  /// The numbers of the first device attributes.
  case attributes([Int])
  /// True for a private mode that the terminal knows.
  case mode(Int, isKnown: Bool)
  /// The terminal can tell all keys apart.
  case keyboard
  /// The background, each part from 0 to 255.
  case background(red: Int, green: Int, blue: Int)
  /// The answer to the last question.
  case fence
  /// The answer to a question that was not asked.
  case other
}
