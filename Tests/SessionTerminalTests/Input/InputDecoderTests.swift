import SeededNumbers
import Testing

@testable import SessionTerminal

@Suite struct InputDecoderTests {
  private func events(_ text: String) -> [InputEvent] {
    var decoder = InputDecoder()
    return decoder.take(Array(text.utf8))
  }

  @Test(arguments: [
    ("a", "a"), ("é", "é"), ("👍", "👍"), ("\r", "Enter"), ("\n", "Ctrl-J"), ("\t", "Tab"),
    ("\u{7F}", "Backspace"),
    ("\u{B}", "Ctrl-K"), ("\u{1F}", "Ctrl-_"), ("\u{1E}", "Ctrl-^"), ("\u{1B}[A", "Up"), ("\u{1B}OB", "Down"),
    ("\u{1B}[1;5C", "Ctrl-Right"), ("\u{1B}[1;3D", "Alt-Left"), ("\u{1B}[5~", "PgUp"),
    ("\u{1B}[3;5~", "Ctrl-Delete"),
    ("\u{1B}OP", "F1"), ("\u{1B}[20~", "F9"), ("\u{1B}[[E", "F5"), ("\u{1B}[Z", "Shift-Tab"),
    ("\u{1B}\r", "Alt-Enter"),
    ("\u{1B}b", "Alt-b"), ("\u{1B}[13;2u", "Shift-Enter"), ("\u{1B}[107;5u", "Ctrl-K"), ("\u{1B}[27u", "Esc"),
  ])
  func keysAreRead(bytes: String, key: String) throws {
    #expect(events(bytes).map { if case .key(let key) = $0 { "\(key)" } else { "" } } == [key])
    #expect(try #require(Key(key)).description == key)
  }

  @Test func aLoneEscapeIsDecidedByTime() {
    var decoder = InputDecoder()
    #expect(decoder.take([0x1B]) == [])
    #expect(decoder.patience(escape: 25) == 25)
    #expect(decoder.timeOut() == [.key(Key(.escape))])
    #expect(decoder.patience(escape: 25) == nil)
    #expect(decoder.take([0x1B, 0x1B]) == [.key(Key(.escape))])
    #expect(decoder.timeOut() == [.key(Key(.escape))])
  }

  @Test func altWithABracketIsAKey() {
    for (text, key) in [("\u{1B}[", "["), ("\u{1B}]", "]"), ("\u{1B}O", "O"), ("\u{1B}_", "_")] {
      var decoder = InputDecoder()
      #expect(decoder.take(Array(text.utf8)) == [])
      #expect(decoder.timeOut() == [.key(Key(.character(Character(key)), .alt))])
    }
  }

  @Test func keysBehindAltWithABracketAreNotKept() throws {
    for (text, names) in [
      ("\u{1B}]hello", ["Alt-]", "h", "e", "l", "l", "o"]), ("\u{1B}Pa", ["Alt-P", "a"]),
      ("\u{1B}_x\u{1B}[A", ["Alt-_", "x", "Up"]), ("\u{1B}]\u{1B}[A", ["Alt-]", "Up"]),
    ] {
      #expect(events(text).map { if case .key(let key) = $0 { "\(key)" } else { "" } } == names)
    }
    // It is a key soon, but an answer has its time.
    var decoder = InputDecoder()
    #expect(decoder.take(Array("\u{1B}]".utf8)) == [])
    #expect(try #require(decoder.patience(escape: 25)) <= 100)
    #expect(decoder.take(Array("11;".utf8)) == [])
    #expect(try #require(decoder.patience(escape: 25)) >= 1000)
    #expect(decoder.take(Array("rgb:0/0/0\u{7}".utf8)) == [.answer(.background(red: 0, green: 0, blue: 0))])
  }

  @Test func bytesMayComeOneByOne() {
    let bytes = Array("é\u{1B}[1;5A\u{1B}[200~a\u{1B}[Ab\r\nc\u{1B}[201~\u{1B}[<0;3;4Mx".utf8)
    var decoder = InputDecoder()
    let single = bytes.flatMap { decoder.take([$0]) }
    #expect(
      single == [
        .key(Key(.character("é"))), .key(Key(.up, .control)), .paste("a[Ab\nc", isCut: false),
        .mouse(Mouse(.press, x: 2, y: 3)), .key(Key(.character("x"))),
      ])
  }

  @Test func aPasteIsTextAlone() {
    #expect(
      events("\u{1B}[200~\u{1B}]52;c;eA==\u{7}\u{9B}x\u{1B}[201~") == [.paste("]52;c;eA==x", isCut: false)])
  }

  @Test func aPasteWithoutEndIsDeliveredAfterAWhile() {
    var decoder = InputDecoder()
    #expect(decoder.take(Array("\u{1B}[200~half".utf8)) == [])
    #expect(decoder.timeOut() == [.paste("half", isCut: true)])
    #expect(decoder.patience(escape: 25) == 10_000)
    #expect(decoder.timeOut() == [])
    #expect(decoder.take(Array("q".utf8)) == [.key(Key(.character("q")))])
  }

  @Test(arguments: ["", "\u{1B}", "\u{1B}[201"])
  func theRestOfASlowPasteIsNoKeys(mark: String) {
    var decoder = InputDecoder()
    _ = decoder.take(Array("\u{1B}[200~one\n\(mark)".utf8))
    #expect(decoder.timeOut() == [.paste("one\n", isCut: true)])
    let rest = mark.isEmpty ? "two\r\u{1B}[A\u{1B}[201~q" : "\u{1B}[201~".dropFirst(mark.count) + "q"
    #expect(decoder.take(Array(rest.utf8)) == [.key(Key(.character("q")))])
  }

  @Test func aPasteBeyondTheLimitIsCut() {
    let long = String(repeating: "x", count: InputDecoder.maxPaste + 100)
    let events = events("\u{1B}[200~" + long + "\u{1B}[201~y")
    guard case .paste(let text, isCut: true)? = events.first else { return #expect(Bool(false), "no paste") }
    #expect(text.utf8.count == InputDecoder.maxPaste)
    #expect(events.last == .key(Key(.character("y"))))
  }

  @Test func longSequencesAreDropped() {
    #expect(events("\u{1B}[" + String(repeating: "1", count: 500) + "Aq") == [.key(Key(.character("q")))])
    let answer = "\u{1B}]11;" + String(repeating: "x", count: 9000) + "\u{1B}\\q"
    #expect(events(answer) == [.key(Key(.character("q")))])
  }

  @Test func anAnswerWithoutEndDoesNotKeepTheKeys() {
    var decoder = InputDecoder()
    #expect(decoder.take(Array("\u{1B}P>|xterm".utf8)) == [])
    #expect(decoder.timeOut() == [])
    #expect(decoder.take(Array("q".utf8)) == [.key(Key(.character("q")))])
  }

  @Test func invalidTextIsReplaced() {
    var decoder = InputDecoder()
    let events = decoder.take([0xFF, 0xC3, 0x41, 0xE2, 0x82]) + decoder.timeOut()
    #expect(
      events.map { if case .key(let key) = $0 { "\(key)" } else { "" } } == [
        "\u{FFFD}", "\u{FFFD}", "A", "\u{FFFD}",
      ])
  }

  @Test(arguments: [
    ("\u{1B}[<64;1;1M", Mouse(.wheelUp, x: 0, y: 0)), ("\u{1B}[<65;9;2M", Mouse(.wheelDown, x: 8, y: 1)),
    ("\u{1B}[<0;9;2m", Mouse(.release, x: 8, y: 1)), ("\u{1B}[<32;9;2M", Mouse(.drag, x: 8, y: 1)),
  ])
  func mouseEventsAreRead(bytes: String, mouse: Mouse) { #expect(events(bytes) == [.mouse(mouse)]) }

  @Test(arguments: [
    "\u{1B}[<0;0;0M", "\u{1B}[<0;70000;1M", "\u{1B}[<2;1;1M", "\u{1B}[<0;1M", "\u{1B}[<35;1;1M",
  ])
  func otherMouseEventsMeanNothing(bytes: String) { #expect(events(bytes) == []) }

  @Test(arguments: [
    ("\u{1B}P>|foot(1.16)\u{1B}\\", TerminalAnswer.name("foot(1.16)")),
    ("\u{1B}[?62;4c", .attributes([62, 4])),
    ("\u{1B}[?2026;2$y", .mode(2026, isKnown: true)), ("\u{1B}[?2026;0$y", .mode(2026, isKnown: false)),
    ("\u{1B}[?1u", .keyboard),
    ("\u{1B}]11;rgb:ffff/8080/0000\u{7}", .background(red: 255, green: 128, blue: 0)),
    ("\u{1B}[0n", .fence), ("\u{1B}]11;rgb:zz/1/2\u{7}", .other), ("\u{1B}[8;24;80t", .other),
  ])
  func answersAreNotKeys(bytes: String, answer: TerminalAnswer) {
    #expect(events(bytes) == [.answer(answer)])
  }

  /// Whatever comes, it ends, and no key holds a control character.
  @Test func anyBytesCanBeTaken() {
    var numbers = SeededGenerator(seed: 5)
    let pieces: [[UInt8]] = [
      [0x1B], Array("[".utf8), Array("200~".utf8), Array("\u{1B}[201~".utf8), Array("]11;".utf8), [0x07],
      Array(";".utf8),
      Array("P>|".utf8), Array("\u{1B}\\".utf8), [0xE2, 0x82], [0xF0], Array("<0;1;1M".utf8),
      Array("99999999999999".utf8),
    ]
    for _ in 0..<500 {
      var decoder = InputDecoder()
      for _ in 0..<40 {
        let random = UInt8.random(in: 0...255, using: &numbers)
        let bytes = Bool.random(using: &numbers) ? [random] : pieces.randomElement(using: &numbers) ?? []
        var events = decoder.take(bytes)
        if UInt8.random(in: 0...20, using: &numbers) == 0 { events += decoder.timeOut() }
        for event in events {
          guard case .key(let key) = event, case .character(let character) = key.code else { continue }
          #expect(character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        }
      }
      // A paste ends after two waits.
      _ = decoder.timeOut()
      _ = decoder.timeOut()
      #expect(decoder.patience(escape: 1) == nil)
      #expect(decoder.take([0x71]) == [.key(Key(.character("q")))])
    }
  }
}

@Suite struct KeyTests {
  @Test(arguments: ["Ctrl-I", "Ctrl-M", "Ctrl-H", "Ctrl-[", "F13", "Foo", ""])
  func keysThatNoTerminalTellsApartAreRefused(name: String) { #expect(Key(name) == nil) }
}

@Suite struct TerminalCapabilitiesTests {
  @Test(arguments: [
    (["TERM": "linux"], Theme.Depth.sixteen, false),
    (["TERM": "xterm-256color", "LANG": "C.UTF-8"], .many, true),
    (["TERM": "xterm", "COLORTERM": "truecolor", "LANG": "de_DE.utf8"], .all, true),
    (["TERM": "xterm-256color", "NO_COLOR": "1", "LC_ALL": "C", "LANG": "C.UTF-8"], .none, false),
  ])
  func theEnvironmentDecides(environment: [String: String], depth: Theme.Depth, hasBoxes: Bool) throws {
    let terminal = try #require(TerminalCapabilities(environment: environment))
    #expect(terminal.depth == depth)
    #expect(terminal.hasBoxes == hasBoxes)
  }

  @Test(arguments: [[:], ["TERM": ""], ["TERM": "dumb"]])
  func someTerminalsCannotBeDrawnOn(environment: [String: String]) {
    #expect(TerminalCapabilities(environment: environment) == nil)
  }

  @Test func answersTellMore() throws {
    var terminal = try #require(
      TerminalCapabilities(environment: ["TERM": "xterm", "SSH_TTY": "/dev/pts/1"]))
    #expect(terminal.escapeWait == 100)
    for answer in [
      TerminalAnswer.mode(2026, isKnown: true), .background(red: 250, green: 250, blue: 250), .keyboard,
      .fence,
    ] { terminal.take(answer) }
    #expect(terminal.isSynchronised)
    #expect(terminal.isLight == true)
    #expect(terminal.tellsAllKeys)
  }
}
