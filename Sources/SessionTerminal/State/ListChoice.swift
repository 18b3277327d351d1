/// A list of which a person chooses one row: typing narrows it, arrows move, Enter chooses, Esc leaves.
package struct ListChoice: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package var left: String
    package var right: String

    package init(left: String, right: String = "") { (self.left, self.right) = (left, right) }
  }

  package enum Outcome: Hashable, Sendable {
    /// The place of the row among all of them.
    case chosen(Int)
    case cancelled
  }

  /// What is chosen, and what happens then; a line each.
  private let heads: [String]
  private let rows: [Row]
  private var input = Composer()
  private var cursor = 0

  package init(_ heads: [String], rows: [Row]) { (self.heads, self.rows) = (heads, rows) }

  /// The places of the rows that have all of the typed words.
  private var shown: [Int] {
    let words = input.text.lowercased().split(separator: " ")
    return rows.indices.filter { place in
      let name = rows[place].left.lowercased()
      return words.allSatisfy { name.contains($0) }
    }
  }

  /// Takes a key; nil while nothing is decided.
  package mutating func take(_ event: InputEvent) -> Outcome? {
    switch event {
    case .key(let key): return take(key)
    case .paste(let text, _): input.insert(text.split(separator: "\n").joined(separator: " "))
    case .mouse(let mouse):
      if mouse.kind == .wheelUp { move(-1) } else if mouse.kind == .wheelDown { move(1) }
      return nil
    case .focus, .answer: return nil
    }
    cursor = 0
    return nil
  }

  private mutating func take(_ key: Key) -> Outcome? {
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("c"), .control), (.character("q"), .control): return .cancelled
    case (.up, []): move(-1)
    case (.down, []): move(1)
    case (.pageUp, []): move(-10)
    case (.pageDown, []): move(10)
    case (.enter, []):
      let shown = shown
      guard shown.indices.contains(cursor) else { return nil }
      return .chosen(shown[cursor])
    default: if input.take(key) { cursor = 0 }
    }
    return nil
  }

  private mutating func move(_ step: Int) {
    cursor = min(max(cursor + step, 0), max(shown.count - 1, 0))
  }

  package func drawn(on size: ScreenSize) -> Grid {
    var grid = Grid(size)
    let part = grid.bounds
    guard size.rows > 2 else { return grid }
    // The list always has a row.
    let heads = heads.prefix(size.rows - 3)
    for (y, head) in heads.enumerated() {
      grid.put(
        TextLines.fitted(TextLines.cells(" \(head)", Style(.accent)), to: size.columns), x: 0, y: y, in: part)
    }
    let top = heads.count
    let (line, x, _) = input.rows(columns: 10_000)
    grid.put(TextLines.cells(" > ", Style(.accent)) + (line.first ?? []), x: 0, y: top, in: part)
    grid.cursor = Grid.Cursor(x: min(3 + x, size.columns - 1), y: top)
    let (shown, room) = (shown, size.rows - top - 2)
    let first = max(min(cursor - room / 2, shown.count - room), 0)
    for (offset, place) in shown.dropFirst(first).prefix(max(room, 0)).enumerated() {
      let (row, y) = (rows[place], top + 1 + offset)
      let isChosen = first + offset == cursor
      let right = TextLines.cells(row.right.isEmpty ? "" : " \(row.right) ", Style(.dim))
      let space = size.columns - 3 - TextLines.width(of: right)
      let left = TextLines.fitted(TextLines.cells(row.left, Style(.other), as: .name), to: max(space, 0))
      grid.put(TextLines.cells(isChosen ? " > " : "   ", Style(.accent)) + left, x: 0, y: y, in: part)
      grid.putRight(right, y: y, in: part)
      if isChosen {
        grid.mark(Rect(x: 0, y: y, width: size.columns, height: 1)) { $0.attributes.formUnion(.reversed) }
      }
    }
    if shown.isEmpty {
      grid.put(TextLines.cells("   nothing has this name", Style(.dim)), x: 0, y: top + 1, in: part)
    }
    grid.put(
      TextLines.cells(" type a name   Up and Down choose   Enter sends   Esc leaves", Style(.hint)), x: 0,
      y: size.rows - 1, in: part)
    return grid
  }
}
