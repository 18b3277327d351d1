/// A text that is being written.
package struct Composer: Hashable, Sendable {
  package private(set) var characters: [Character] = []
  /// The place of the cursor, from 0 to the number of characters.
  package private(set) var cursor = 0
  /// The text that was cut last.
  private var cut: [Character] = []
  private var undone: [Snapshot] = []
  private var done: [Snapshot] = []
  private var isTyping = false

  private struct Snapshot: Hashable, Sendable {
    var characters: [Character]
    var cursor: Int
  }

  static let maxSteps = 100
  /// The longest text that is kept here, in characters; longer ones are files.
  package static let maxCharacters = 20_000

  package init(_ text: String = "") {
    characters = Array(text.prefix(Self.maxCharacters))
    cursor = characters.count
  }

  package var text: String { String(characters) }
  package var isEmpty: Bool { characters.isEmpty }

  // MARK: - Changing

  private mutating func remember(typing: Bool = false) {
    defer { isTyping = typing }
    // A word that is typed is one step.
    guard !(typing && isTyping) else { return }
    done.append(Snapshot(characters: characters, cursor: cursor))
    if done.count > Self.maxSteps { done.removeFirst() }
    undone = []
  }

  package mutating func insert(_ text: String) {
    let added = text.prefix(max(Self.maxCharacters - characters.count, 0))
    guard !added.isEmpty else { return }
    remember(typing: added.count == 1 && added != " " && added != "\n")
    characters.insert(contentsOf: added, at: cursor)
    cursor += added.count
    join()
  }

  /// Characters may have become one, such as a letter and a mark that was typed after it.
  private mutating func join() {
    guard cursor > 1, let mark = characters[cursor - 1].unicodeScalars.first,
      mark.isMark || mark.isJoiner || mark.isEmojiModifier
    else { return }
    let (before, behind) = (String(characters[..<cursor]), characters[cursor...])
    characters = Array(before)
    cursor = characters.count
    characters += behind
  }

  private mutating func remove(_ range: Range<Int>, keeping: Bool = false) {
    guard !range.isEmpty else { return }
    remember()
    if keeping { cut = Array(characters[range]) }
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  mutating func clear() {
    remove(0..<characters.count)
  }

  mutating func replace(with text: String) {
    remember()
    characters = Array(text.prefix(Self.maxCharacters))
    cursor = characters.count
  }

  mutating func undo() {
    guard let last = done.popLast() else { return }
    undone.append(Snapshot(characters: characters, cursor: cursor))
    (characters, cursor, isTyping) = (last.characters, last.cursor, false)
  }

  mutating func redo() {
    guard let last = undone.popLast() else { return }
    done.append(Snapshot(characters: characters, cursor: cursor))
    (characters, cursor, isTyping) = (last.characters, last.cursor, false)
  }

  // MARK: - Places

  private var lineStart: Int { (characters[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }
  private var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

  private var wordStart: Int {
    var place = cursor
    while place > 0, !characters[place - 1].isWord { place -= 1 }
    while place > 0, characters[place - 1].isWord { place -= 1 }
    return place
  }

  private var wordEnd: Int {
    var place = cursor
    while place < characters.count, !characters[place].isWord { place += 1 }
    while place < characters.count, characters[place].isWord { place += 1 }
    return place
  }

  /// Carries out a key of the editor; false for a key that is none.
  package mutating func take(_ key: Key) -> Bool {
    switch (key.code, key.modifiers) {
    case (.character(let character), []), (.character(let character), .shift):
      guard character.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
        return false
      }
      insert(String(character))
    case (.backspace, []): remove(max(cursor - 1, 0)..<cursor)
    case (.delete, []): remove(cursor..<min(cursor + 1, characters.count))
    case (.left, []): cursor = max(cursor - 1, 0)
    case (.right, []): cursor = min(cursor + 1, characters.count)
    case (.left, .control), (.character("b"), .alt): cursor = wordStart
    case (.right, .control), (.character("f"), .alt): cursor = wordEnd
    case (.home, []), (.character("a"), .control): cursor = lineStart
    case (.end, []), (.character("e"), .control): cursor = lineEnd
    case (.character("w"), .control), (.backspace, .alt): remove(wordStart..<cursor, keeping: true)
    case (.character("d"), .alt): remove(cursor..<wordEnd, keeping: true)
    case (.character("u"), .control): remove(lineStart..<cursor, keeping: true)
    case (.character("y"), .control): insert(String(cut))
    case (.character("_"), .control): undo()
    case (.character("_"), .alt): redo()
    default: return false
    }
    if case .character = key.code {} else { isTyping = false }
    return true
  }

  // MARK: - Rows

  /// The rows of the text in so many columns, and the place of the cursor in them.
  package func rows(columns: Int, _ style: Style = Style()) -> (rows: [[Cell]], x: Int, y: Int) {
    let (rows, places) = layout(columns: columns, style)
    return (rows, places[cursor].x, places[cursor].y)
  }

  /// The rows, and the place of each character and of the end.
  private func layout(columns: Int, _ style: Style) -> (rows: [[Cell]], places: [(x: Int, y: Int)]) {
    let columns = max(columns, 2)
    var (rows, row, used) = ([[Cell]](), [Cell](), 0)
    var places: [(x: Int, y: Int)] = []
    places.reserveCapacity(characters.count + 1)
    for character in characters {
      let plain = Cluster.ascii(character)
      let cells = plain != nil || character == "\n" ? [] : TextLines.cells(String(character), style)
      let width = plain?.width ?? TextLines.width(of: cells)
      // The cursor stands behind the last character, too.
      if character != "\n", used + width >= columns, used > 0 {
        rows.append(row)
        (row, used) = ([], 0)
      }
      places.append((used, rows.count))
      if character == "\n" {
        rows.append(row)
        (row, used) = ([], 0)
      } else {
        if let plain { row.append(Cell(plain, style)) } else { row += cells }
        used += width
      }
    }
    places.append((used, rows.count))
    rows.append(row)
    return (rows, places)
  }

  /// Moves the cursor to another row; false if there is none.
  mutating func move(rows step: Int, columns: Int) -> Bool {
    let (rows, places) = layout(columns: columns, Style())
    let now = places[cursor]
    guard rows.indices.contains(now.y + step) else { return false }
    let row = places.indices.filter { places[$0].y == now.y + step }
    guard let place = row.last(where: { places[$0].x <= now.x }) ?? row.first else { return false }
    cursor = place
    isTyping = false
    return true
  }
}

extension Character {
  fileprivate var isWord: Bool { isLetter || isNumber || self == "_" }
}
