import SeededNumbers
import Testing

@testable import SessionTerminal

@Suite struct GridWriterTests {
  private let writer = GridWriter(theme: Theme(.dark), depth: .all)

  private func grid(_ size: ScreenSize, _ numbers: inout SeededGenerator, over before: Grid?) -> Grid {
    var grid = before.flatMap { $0.size == size ? $0 : nil } ?? Grid(size)
    let pieces = ["a", "hello", " ", "日本", "👩‍👩‍👧", "e\u{301}", "     ", "─", "👍"]
    for _ in 0..<Int.random(in: 1...12, using: &numbers) {
      let role = Style.Role.allCases.randomElement(using: &numbers) ?? .text
      let cells = TextLines.cells(pieces.randomElement(using: &numbers) ?? "", Style(role))
      grid.put(
        cells, x: Int.random(in: 0..<size.columns, using: &numbers),
        y: Int.random(in: 0..<size.rows, using: &numbers),
        in: grid.bounds)
    }
    grid.cursor = Bool.random(using: &numbers) ? Grid.Cursor(x: 1, y: 0) : nil
    return grid
  }

  @Test func theTerminalShowsTheGridAfterEachDifference() {
    var numbers = SeededGenerator(seed: 11)
    for _ in 0..<150 {
      let size = ScreenSize(
        columns: Int.random(in: 1...30, using: &numbers), rows: Int.random(in: 1...6, using: &numbers))
      var (model, shown) = (TerminalModel(size), Grid?.none)
      for _ in 0..<8 {
        let next = grid(size, &numbers, over: shown)
        model.take(writer.bytes(from: shown, to: next))
        #expect(model.text == next.text)
        #expect(model.unknown == [])
        #expect(model.modes.contains(25) == (next.cursor != nil))
        if let cursor = next.cursor { #expect(model.cursor == (cursor.x, cursor.y)) }
        let roles = (0..<size.rows).map { y in (0..<size.columns).map { next[$0, y].style.role == .failed } }
        let red = model.rows.map { row in row.map { $0.style.contains("38;2;255;135;135") } }
        #expect(roles == red)
        shown = next
      }
    }
  }

  /// A list at the left, and rows of text beside it that have moved by so many rows.
  private func page(_ size: ScreenSize, from first: Int, lists: Bool = true) -> Grid {
    var grid = Grid(size)
    for y in 2..<(size.rows - 2) {
      if lists { grid.put(TextLines.cells(" somebody \(y)", Style(.other)), x: 0, y: y, in: grid.bounds) }
      let words = (0..<20).map { "\((first + y) * 7919 % 99_991 + $0 * 104_729 % 99_991)" }
      let text = "row \(first + y): " + words.joined(separator: " ") + " 日本 👍"
      grid.put(TextLines.cells(text, Style()), x: 31, y: y, in: grid.bounds)
    }
    grid.put(TextLines.cells("the head and the status", Style(.hint)), x: 0, y: 0, in: grid.bounds)
    grid.put(TextLines.cells("> a message", Style()), x: 31, y: size.rows - 1, in: grid.bounds)
    grid.cursor = Grid.Cursor(x: 40, y: size.rows - 1)
    return grid
  }

  @Test(arguments: [1, -1, 3, -3])
  func rowsThatMovedAreMovedByTheTerminal(step: Int) {
    let size = ScreenSize(columns: 200, rows: 50)
    let (before, after) = (page(size, from: 100), page(size, from: 100 + step))
    var model = TerminalModel(size)
    model.take(writer.bytes(from: nil, to: before))
    let bytes = writer.bytes(from: before, to: after)
    #expect(bytes.count <= 2000 + 500 * (abs(step) - 1), "\(bytes.count)")
    model.take(bytes)
    #expect(model.text == after.text && model.unknown == [])
    #expect(model.cursor == (40, 49))
    // Afterwards the whole screen scrolls as before.
    model.take(Array("\u{1B}[1;1H\u{1B}[1M".utf8))
    #expect(model.text.hasSuffix("\n\n"))
  }

  @Test func onlyScreensOfAUsualSizeAreCompared() {
    for (size, isMoved) in [
      (ScreenSize(columns: 400, rows: 100), true), (ScreenSize(columns: 401, rows: 100), false),
    ] {
      let scroll = GridScroll(
        from: page(size, from: 100, lists: false), to: page(size, from: 103, lists: false))
      #expect((scroll?.step == 3) == isMoved)
    }
  }

  @Test func replacedRowsHaveNotMoved() {
    let size = ScreenSize(columns: 80, rows: 24)
    let (before, after) = (page(size, from: 100), page(size, from: 500))
    #expect(GridScroll(from: before, to: after) == nil)
  }

  @Test func aScreenThatMovedIsShownWhateverElseChanged() {
    var numbers = SeededGenerator(seed: 5)
    for round in 0..<60 {
      let size = ScreenSize(
        columns: Int.random(in: 60...140, using: &numbers), rows: Int.random(in: 8...40, using: &numbers))
      var (model, shown) = (TerminalModel(size), Grid?.none)
      var first = 50
      for _ in 0..<5 {
        var next = page(size, from: first, lists: Bool.random(using: &numbers))
        if Bool.random(using: &numbers) { next = grid(size, &numbers, over: next) }
        model.take(writer.bytes(from: shown, to: next))
        #expect(model.text == next.text && model.unknown == [], "\(round)")
        shown = next
        first += Int.random(in: -14...14, using: &numbers)
      }
    }
  }

  @Test func nothingIsWrittenForTheSameGrid() {
    var numbers = SeededGenerator(seed: 1)
    let same = grid(ScreenSize(columns: 20, rows: 3), &numbers, over: nil)
    #expect(writer.bytes(from: same, to: same) == [])
  }

  @Test func aTypedCharacterTakesFewBytes() {
    var before = Grid(ScreenSize(columns: 200, rows: 50))
    before.put(TextLines.cells("> hello", Style()), x: 31, y: 48, in: before.bounds)
    before.cursor = Grid.Cursor(x: 38, y: 48)
    var after = before
    after.put(TextLines.cells("x", Style()), x: 38, y: 48, in: after.bounds)
    after.cursor = Grid.Cursor(x: 39, y: 48)
    var writer = writer
    writer.isSynchronised = true
    #expect(writer.bytes(from: before, to: after).count <= 40)
  }

  @Test(arguments: [("👍", "x"), ("x", "👍")])
  func theRestOfARowIsWrittenBehindADoubtfulWidth(was: String, becomes: String) {
    func row(_ first: String) -> Grid {
      var grid = Grid(ScreenSize(columns: 20, rows: 2))
      grid.put(TextLines.cells("ab", Style()), x: 0, y: 0, in: grid.bounds)
      grid.put(TextLines.cells(first, Style()), x: 3, y: 0, in: grid.bounds)
      grid.put(TextLines.cells("rest", Style()), x: 6, y: 0, in: grid.bounds)
      grid.put(TextLines.cells("other", Style()), x: 0, y: 1, in: grid.bounds)
      return grid
    }
    let text = String(decoding: writer.bytes(from: row(was), to: row(becomes)), as: UTF8.self)
    #expect(text.contains("rest\u{1B}[K"))
    #expect(!text.contains("ab"))
    #expect(!text.contains("other"))
  }

  @Test func largeChangesAreShownAtOnce() {
    var writer = writer
    writer.isSynchronised = true
    var full = Grid(ScreenSize(columns: 80, rows: 24))
    for y in 0..<24 { full.put(TextLines.cells("some text", Style(.dim)), x: 0, y: y, in: full.bounds) }
    let text = String(decoding: writer.bytes(from: nil, to: full), as: UTF8.self)
    #expect(text.hasPrefix("\u{1B}[?2026h") && text.hasSuffix("\u{1B}[?2026l"))
  }

  @Test func withoutColoursThereAreAttributesAlone() {
    let writer = GridWriter(theme: Theme(.dark), depth: .none)
    var grid = Grid(ScreenSize(columns: 20, rows: 1))
    grid.put(TextLines.cells("failed", Style(.failed)), x: 0, y: 0, in: grid.bounds)
    let text = String(decoding: writer.bytes(from: nil, to: grid), as: UTF8.self)
    #expect(text.contains("\u{1B}[0;1mfailed"))
    #expect(!text.contains("38;"))
  }

  @Test func halvesOfWideCharactersDoNotStay() {
    var grid = Grid(ScreenSize(columns: 6, rows: 1))
    grid.put(TextLines.cells("日本", Style()), x: 0, y: 0, in: grid.bounds)
    grid.put(TextLines.cells("x", Style()), x: 1, y: 0, in: grid.bounds)
    #expect(grid.text == " x本\n")
    grid.put(TextLines.cells("y", Style()), x: 2, y: 0, in: grid.bounds)
    #expect(grid.text == " xy\n")
    grid.put(TextLines.cells("日", Style()), x: 5, y: 0, in: grid.bounds)
    #expect(grid.text == " xy\n")
  }
}

@Suite struct ThemeTests {
  private func luminance(_ colour: Theme.Colour) -> Double {
    func part(_ value: Int) -> Double {
      let share = Double(value) / 255
      guard share > 0.03928 else { return share / 12.92 }
      // The power of 2.4, near enough for a test: the square, and the square root of the square root between two.
      return ((share + 0.055) / 1.055).squared24
    }
    return 0.2126 * part(colour.red) + 0.7152 * part(colour.green) + 0.0722 * part(colour.blue)
  }

  @Test(arguments: Theme.Name.allCases)
  func everyColourCanBeReadOnItsBackground(name: Theme.Name) {
    let theme = Theme(name)
    let ground = luminance(theme.background)
    for role in Style.Role.allCases {
      guard let colour = theme.colour(of: role) else { continue }
      let (light, dark) = (max(luminance(colour), ground), min(luminance(colour), ground))
      #expect((light + 0.05) / (dark + 0.05) >= 4.5, "\(role)")
    }
  }
}

extension Double {
  /// The power of 2.4.
  fileprivate var squared24: Double {
    // x^2.4 = x^2 * x^0.4, and x^0.4 = (x^2)^(1/5) by Newton's method.
    let square = self * self
    var root = 1.0
    for _ in 0..<60 { root = (4 * root + square / (root * root * root * root)) / 5 }
    return square * root
  }
}
