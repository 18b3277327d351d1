/// Lines of cells that fit a width.
package enum TextLines {
  /// The number of columns of a line of cells.
  package static func width(of cells: [Cell]) -> Int { cells.reduce(0) { $0 + $1.cluster.width } }

  /// The cells of a text on one line.
  package static func cells(_ text: String, _ style: Style, as use: Cluster.Use = .text) -> [Cell] {
    Cluster.line(text, as: use).map { Cell($0, style) }
  }

  /// A line cut with `…` where it is wider than so many columns.
  package static func fitted(_ cells: [Cell], to columns: Int) -> [Cell] {
    guard width(of: cells) > columns else { return cells }
    guard columns > 0 else { return [] }
    var (cut, used) = ([Cell](), 0)
    for cell in cells {
      guard used + cell.cluster.width < columns else { break }
      cut.append(cell)
      used += cell.cluster.width
    }
    cut.append(Cell(.ellipsis, cut.last?.style ?? Style()))
    return cut
  }

  /// A line broken between words into rows of so many columns; words that are longer are broken.
  package static func wrapped(_ cells: [Cell], to columns: Int) -> [[Cell]] {
    let columns = max(columns, 2)
    var (rows, row, used) = ([[Cell]](), [Cell](), 0)
    // The place in the row behind the last space, where it can be broken.
    var breakable: Int?
    for cell in cells {
      let isSpace = cell.cluster == .space
      if used + cell.cluster.width > columns {
        if isSpace {
          // The space at the end of a row is not shown.
          rows.append(row)
          (row, used, breakable) = ([], 0, nil)
          continue
        }
        if let place = breakable, place < row.count || place == row.count, place > 0 {
          let moved = Array(row[place...])
          rows.append(trimmed(Array(row[..<place])))
          (row, used, breakable) = (moved, width(of: moved), nil)
        }
        if used + cell.cluster.width > columns {
          rows.append(row)
          (row, used, breakable) = ([], 0, nil)
        }
      }
      row.append(cell)
      used += cell.cluster.width
      if isSpace, row.contains(where: { $0.cluster != .space }) { breakable = row.count }
    }
    rows.append(row)
    return rows
  }

  private static func trimmed(_ cells: [Cell]) -> [Cell] {
    var cells = cells
    while cells.last?.cluster == .space { cells.removeLast() }
    return cells
  }

  /// True if the first letter of a text is one of a script that is written from right to left.
  package static func isRightToLeft(_ text: Substring) -> Bool {
    for scalar in text.unicodeScalars {
      if scalar.isRightToLeft { return true }
      if scalar.properties.isAlphabetic { return false }
    }
    return false
  }
}
