/// A part of the screen.
package struct Rect: Hashable, Sendable {
  package var x, y, width, height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, max(width, 0), max(height, 0))
  }

  package func contains(x: Int, y: Int) -> Bool {
    x >= self.x && x < self.x + width && y >= self.y && y < self.y + height
  }

  /// The columns and rows inside a border of this width.
  func inset(by border: Int) -> Rect {
    Rect(x: x + border, y: y + border, width: width - 2 * border, height: height - 2 * border)
  }
}

/// A size in columns and rows.
package struct ScreenSize: Hashable, Sendable {
  package let columns, rows: Int

  /// More than this is not drawn on, whatever the terminal says.
  package static let largest = 1000

  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 0), Self.largest)
    self.rows = min(max(rows, 0), Self.largest)
  }
}

/// The content of a screen.
package struct Grid: Hashable, Sendable {
  package let size: ScreenSize
  package private(set) var cells: [Cell]
  /// The place of the cursor; nil if it is hidden.
  package var cursor: Cursor?

  package struct Cursor: Hashable, Sendable {
    package let x, y: Int
  }

  package init(_ size: ScreenSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  package var bounds: Rect { Rect(x: 0, y: 0, width: size.columns, height: size.rows) }

  package subscript(x: Int, y: Int) -> Cell { cells[y * size.columns + x] }

  /// Puts cells into a row, from a column on; what is outside the part of the screen is cut off. Returns the next column.
  @discardableResult
  mutating func put(_ line: [Cell], x: Int, y: Int, in part: Rect) -> Int {
    var x = x
    let end = min(part.x + part.width, size.columns)
    guard y >= max(part.y, 0), y < min(part.y + part.height, size.rows) else { return x }
    for cell in line {
      let width = cell.cluster.width
      guard width > 0 else { continue }
      if x + width > end { break }
      if x >= max(part.x, 0) { set(cell, x, y) }
      x += width
    }
    return x
  }

  /// Puts cells at the end of a row of a part.
  mutating func putRight(_ line: [Cell], y: Int, in part: Rect) {
    put(line, x: part.x + max(part.width - TextLines.width(of: line), 0), y: y, in: part)
  }

  private mutating func set(_ cell: Cell, _ x: Int, _ y: Int) {
    let index = y * size.columns + x
    clearHalves(at: index, x)
    if cell.cluster.width == 2 {
      clearHalves(at: index + 1, x + 1)
      cells[index + 1] = Cell(.rightHalf, cell.style)
    }
    cells[index] = cell
  }

  /// A wide character of which one half is covered is gone.
  private mutating func clearHalves(at index: Int, _ x: Int) {
    if cells[index].cluster.width == 0, x > 0 { cells[index - 1] = Cell(.space, cells[index - 1].style) }
    if cells[index].cluster.width == 2, x + 1 < size.columns {
      cells[index + 1] = Cell(.space, cells[index + 1].style)
    }
  }

  mutating func fill(_ part: Rect, _ cell: Cell = .blank) {
    let line = Array(repeating: cell, count: part.width)
    for y in part.y..<(part.y + part.height) { put(line, x: part.x, y: y, in: part) }
  }

  /// Takes a whole row of another grid of the same size; an empty one for nil.
  mutating func copyRow(_ other: Int?, of grid: Grid, to y: Int) {
    let columns = size.columns
    for x in 0..<columns { cells[y * columns + x] = other.map { grid.cells[$0 * columns + x] } ?? .blank }
  }

  /// Gives all cells of a part other attributes.
  mutating func mark(_ part: Rect, _ change: (inout Style) -> Void) {
    for y in max(part.y, 0)..<max(min(part.y + part.height, size.rows), max(part.y, 0)) {
      for x in max(part.x, 0)..<max(min(part.x + part.width, size.columns), max(part.x, 0)) {
        change(&cells[y * size.columns + x].style)
      }
    }
  }

  /// The rows as text, for tests and for people who cannot see cells.
  package var text: String {
    (0..<size.rows).map { y in
      let row = (0..<size.columns).map { self[$0, y].cluster.text }.joined()
      return String(row.reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }
}
