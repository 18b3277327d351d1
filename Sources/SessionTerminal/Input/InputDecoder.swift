/// Reads keys, pastes, mouse events and answers out of the bytes of a terminal, however they are cut.
package struct InputDecoder: Sendable {
  /// The longest sequence of a key; longer ones are dropped.
  static let maxSequence = 64
  /// The longest answer with a text.
  static let maxAnswer = 4096
  /// The longest pasted text, in bytes.
  package static let maxPaste = 1 << 20

  private enum State: Hashable, Sendable {
    case ground
    case escape
    /// `ESC O`
    case single
    case control
    /// A text that ends with `ESC \` or BEL; the byte after ESC says of which kind it is.
    case text(UInt8)
    case paste
    /// The rest of a paste that paused for too long: none of it is a key.
    case lostPaste
  }

  private static let (esc, bell, delete) = (UInt8(0x1B), UInt8(0x07), UInt8(0x7F))
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private var state = State.ground
  private var held: [UInt8] = []
  private var isTooLong = false
  /// True while only the end of a character of several bytes is missing.
  private var scalar: [UInt8] = []

  package init() {}

  /// How long to wait for more before ``timeOut()`` is called, in milliseconds; nil if nothing is pending. `escape` is the
  /// wait after a lone Esc.
  package func patience(escape: Int) -> Int? {
    switch state {
    case .ground: scalar.isEmpty ? nil : 100
    case .escape: escape
    case .single, .control: max(escape, 100)
    // Answers come in one piece: what begins like one and has nothing yet is a key.
    case .text: held.isEmpty ? max(escape, 100) : 1000
    case .paste: 1000
    case .lostPaste: 10_000
    }
  }

  /// Takes bytes, and returns what they mean.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
    var events: [InputEvent] = []
    for byte in bytes { take(byte, &events) }
    return events
  }

  /// Nothing more came: what is pending is decided.
  package mutating func timeOut() -> [InputEvent] {
    let pending = state
    defer { if pending != .paste { reset() } }
    switch pending {
    case .ground: return scalar.isEmpty ? [] : [.key(Key(.character("\u{FFFD}")))]
    case .escape: return [.key(Key(.escape))]
    case .single: return [.key(Key(.character("O"), .alt))]
    case .control: return held.isEmpty ? [.key(Key(.character("["), .alt))] : []
    case .text(let kind):
      return held.isEmpty ? [.key(Key(.character(Character(Unicode.Scalar(kind))), .alt))] : []
    case .paste: return [losePaste()]
    case .lostPaste: return []
    }
  }

  private mutating func reset() {
    state = .ground
    held = []
    isTooLong = false
    scalar = []
  }

  private mutating func take(_ byte: UInt8, _ events: inout [InputEvent]) {
    switch state {
    case .ground: takeGround(byte, [], &events)
    case .escape: takeEscape(byte, &events)
    case .single:
      reset()
      if byte == Self.esc {
        state = .escape
      } else if let code = Self.singles[byte] {
        events.append(.key(Key(code)))
      }
    case .control: takeControl(byte, &events)
    case .text(let kind): takeText(byte, kind, &events)
    case .paste: takePaste(byte, &events)
    case .lostPaste: takeLostPaste(byte)
    }
  }

  // MARK: - Characters

  private mutating func takeGround(_ byte: UInt8, _ modifiers: Key.Modifiers, _ events: inout [InputEvent]) {
    if !scalar.isEmpty {
      if byte & 0xC0 == 0x80 {
        scalar.append(byte)
        guard scalar.count == Self.length(scalar[0]) else { return }
        let text = String(decoding: scalar, as: UTF8.self)
        scalar = []
        if let character = text.first { events.append(.key(Key(.character(character), modifiers))) }
        return
      }
      scalar = []
      events.append(.key(Key(.character("\u{FFFD}"))))
    }
    switch byte {
    case Self.esc: state = .escape
    case 0x0D: events.append(.key(Key(.enter, modifiers)))
    case 0x09: events.append(.key(Key(.tab, modifiers)))
    case 0x08, Self.delete: events.append(.key(Key(.backspace, modifiers)))
    case 0x00: events.append(.key(Key(.character(" "), modifiers.union(.control))))
    case 0x01...0x1A:
      let letter = Character(Unicode.Scalar(byte + 0x60))
      events.append(.key(Key(.character(letter), modifiers.union(.control))))
    case 0x1C...0x1F:
      let sign = Character(Unicode.Scalar(byte + 0x40))
      events.append(.key(Key(.character(sign), modifiers.union(.control))))
    case 0x20..<0x7F: events.append(.key(Key(.character(Character(Unicode.Scalar(byte))), modifiers)))
    case 0xC2...0xF4: scalar = [byte]
    default: events.append(.key(Key(.character("\u{FFFD}"))))
    }
  }

  private static func length(_ first: UInt8) -> Int { first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4 }

  private mutating func takeEscape(_ byte: UInt8, _ events: inout [InputEvent]) {
    state = .ground
    switch byte {
    case UInt8(ascii: "["): state = .control
    case UInt8(ascii: "O"): state = .single
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"): state = .text(byte)
    case Self.esc:
      events.append(.key(Key(.escape)))
      state = .escape
    default: takeGround(byte, .alt, &events)
    }
  }

  private static let singles: [UInt8: Key.Code] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "M"): .enter,
    UInt8(ascii: "P"): .function(1),
    UInt8(ascii: "Q"): .function(2), UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
  ]

  // MARK: - Sequences

  private mutating func takeControl(_ byte: UInt8, _ events: inout [InputEvent]) {
    // The Linux console sends its function keys as ESC [ [ A.
    if held == [UInt8(ascii: "[")], UInt8(ascii: "A")...UInt8(ascii: "E") ~= byte {
      reset()
      events.append(.key(Key(.function(Int(byte) - 0x40))))
      return
    }
    switch byte {
    case Self.esc:
      reset()
      state = .escape
    case UInt8(ascii: "[") where held.isEmpty, 0x20...0x3F:
      if held.count < Self.maxSequence { held.append(byte) } else { isTooLong = true }
    case 0x40...0x7E:
      let (parameters, wasTooLong) = (held, isTooLong)
      reset()
      guard !wasTooLong, parameters.first != UInt8(ascii: "[") else { return }
      if byte == UInt8(ascii: "~"), parameters == Array("200".utf8) {
        state = .paste
      } else if let event = ControlSequence(parameters, end: byte).event {
        events.append(event)
      }
    default: reset()
    }
  }

  /// The bytes with which the answers of terminals begin, by their kind. Before any other byte the introducer was a key.
  private static let answerBeginnings: [UInt8: [UInt8]] = [
    UInt8(ascii: "]"): Array("0123456789".utf8), UInt8(ascii: "P"): Array("0123456789>!$".utf8),
    UInt8(ascii: "_"): Array("G".utf8),
  ]

  private mutating func takeText(_ byte: UInt8, _ kind: UInt8, _ events: inout [InputEvent]) {
    if held.isEmpty, !isTooLong, Self.answerBeginnings[kind]?.contains(byte) == false {
      events += timeOut()
      return take(byte, &events)
    }
    if held.last == Self.esc {
      let text = Array(held.dropLast())
      let wasTooLong = isTooLong
      reset()
      if byte == UInt8(ascii: "\\") {
        if !wasTooLong, !text.isEmpty { events.append(.answer(TerminalAnswer(kind: kind, text: text))) }
      } else {
        // The text ended without its mark: a key comes.
        takeEscape(byte, &events)
      }
      return
    }
    if byte == Self.bell, !held.isEmpty {
      let text = held
      let wasTooLong = isTooLong
      reset()
      if !wasTooLong { events.append(.answer(TerminalAnswer(kind: kind, text: text))) }
      return
    }
    if held.count >= Self.maxAnswer {
      isTooLong = true
      held.removeAll(keepingCapacity: true)
    }
    held.append(byte)
  }

  // MARK: - Pasting

  private mutating func takePaste(_ byte: UInt8, _ events: inout [InputEvent]) {
    held.append(byte)
    if held.count > Self.maxPaste + Self.pasteEnd.count {
      // The end mark has to be recognised still.
      isTooLong = true
      held.remove(at: Self.maxPaste)
    }
    guard byte == UInt8(ascii: "~"), held.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) else {
      return
    }
    held.removeLast(Self.pasteEnd.count)
    let event = paste(isCut: isTooLong)
    reset()
    events.append(event)
  }

  /// Delivers what came of a paste, and drops the rest up to its end mark.
  private mutating func losePaste() -> InputEvent {
    // The end mark itself may have been cut.
    let begun =
      (1..<Self.pasteEnd.count).last { held.suffix($0).elementsEqual(Self.pasteEnd.prefix($0)) } ?? 0
    let mark = Array(held.suffix(begun))
    held.removeLast(begun)
    let event = paste(isCut: true)
    reset()
    (state, held) = (.lostPaste, mark)
    return event
  }

  private mutating func takeLostPaste(_ byte: UInt8) {
    held = held.suffix(Self.pasteEnd.count - 1) + [byte]
    if held == Self.pasteEnd { reset() }
  }

  /// The pasted text, without what is no text.
  private func paste(isCut: Bool) -> InputEvent {
    let text = String(decoding: held.prefix(Self.maxPaste), as: UTF8.self)
    let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    var scalars = String.UnicodeScalarView()
    for scalar in lines.unicodeScalars {
      if scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control {
        scalars.append(scalar)
      }
    }
    return .paste(String(scalars), isCut: isCut)
  }
}
