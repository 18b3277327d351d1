/// Writes the difference between two screens as bytes for a terminal.
package struct GridWriter: Sendable {
  package var theme: Theme
  package var depth: Theme.Depth
  /// True if the terminal shows all bytes between two marks at once.
  package var isSynchronised = false

  /// Smaller changes are shown at once by every terminal.
  private static let fewBytes = 64
  /// Larger changes may be rows that have moved.
  private static let muchBytes = 1000
  private static let escape: [UInt8] = [0x1B, UInt8(ascii: "[")]

  package init(theme: Theme, depth: Theme.Depth) { (self.theme, self.depth) = (theme, depth) }

  /// The bytes that turn what the terminal shows into a grid; nil for what it shows makes no assumption.
  package func bytes(from old: Grid?, to new: Grid) -> [UInt8] {
    var pen = Pen(theme: theme, depth: depth)
    if let old, old.size == new.size {
      pen.write(new, over: old)
      if pen.bytes.count > Self.muchBytes, let scroll = GridScroll(from: old, to: new) {
        var scrolling = Pen(theme: theme, depth: depth)
        scrolling.put(scroll)
        scrolling.write(new, over: scroll.applied(to: old))
        if scrolling.bytes.count < pen.bytes.count { pen = scrolling }
      }
    } else {
      pen.put("0m", "2J")
      pen.style = Style()
      for y in 0..<new.size.rows { pen.write(row: y, of: new, over: Grid(new.size)) }
    }
    guard !pen.bytes.isEmpty || old?.cursor != new.cursor else { return [] }
    if pen.style != Style() { pen.put("0m") }
    var bytes = pen.bytes
    if let cursor = new.cursor {
      bytes += Self.escape + Array("\(cursor.y + 1);\(cursor.x + 1)H".utf8)
      if old?.cursor == nil || old?.size != new.size { bytes += Array("\u{1B}[?25h".utf8) }
    } else if old?.cursor != nil || old == nil {
      bytes += Array("\u{1B}[?25l".utf8)
    }
    guard isSynchronised, bytes.count > Self.fewBytes else { return bytes }
    return Array("\u{1B}[?2026h".utf8) + bytes + Array("\u{1B}[?2026l".utf8)
  }

  /// What is written, and the state that it leaves the terminal in.
  private struct Pen {
    let theme: Theme
    let depth: Theme.Depth
    var bytes: [UInt8] = []
    var style = Style()
    /// The place where the next character would stand; nil if terminals may disagree.
    private var place: Grid.Cursor?

    init(theme: Theme, depth: Theme.Depth) { (self.theme, self.depth) = (theme, depth) }

    mutating func put(_ sequences: String...) {
      for sequence in sequences {
        bytes += GridWriter.escape
        bytes.append(contentsOf: sequence.utf8)
      }
    }

    mutating func write(_ new: Grid, over old: Grid) {
      for y in 0..<new.size.rows { write(row: y, of: new, over: old) }
    }

    /// Moves rows: lines are deleted, or inserted, at the top of the part of the screen that scrolls. Every terminal of the
    /// last decades does this, and the Linux console.
    mutating func put(_ scroll: GridScroll) {
      put(
        "\(scroll.rows.lowerBound + 1);\(scroll.rows.upperBound)r", "\(scroll.rows.lowerBound + 1);1H",
        "\(abs(scroll.step))\(scroll.step > 0 ? "M" : "L")", "r")
    }

    mutating func write(row y: Int, of new: Grid, over old: Grid) {
      let columns = new.size.columns
      let start = y * columns
      var end = columns
      // The blank end of a row is erased at once.
      while end > 0, new.cells[start + end - 1] == .blank { end -= 1 }
      var isErased = (end..<columns).contains { old.cells[start + $0] != .blank }
      // Where terminals may disagree about a width, what stands behind it may have moved.
      var isMoved = false
      var x = 0
      while x < end {
        let cell = new.cells[start + x]
        let isSame =
          cell == old.cells[start + x]
          && (cell.cluster.width < 2 || new.cells[start + x + 1] == old.cells[start + x + 1])
        let step = max(cell.cluster.width, 1)
        defer { x += step }
        // The right half is drawn with its character.
        guard !isSame || isMoved, cell.cluster.width > 0 else { continue }
        if cell.cluster.isDoubtful || old.cells[start + x].cluster.isDoubtful { isMoved = true }
        move(to: x, y)
        change(to: cell.style)
        bytes.append(contentsOf: cell.cluster.text.utf8)
        // In the last column terminals wait with the end of the row.
        let isCertain = !cell.cluster.isDoubtful && x + step < columns
        place = isCertain ? Grid.Cursor(x: x + step, y: y) : nil
      }
      if isMoved, end < columns { isErased = true }
      guard isErased else { return }
      move(to: end, y)
      change(to: Style())
      put("K")
    }

    private mutating func move(to x: Int, _ y: Int) {
      if let place, place.y == y {
        if place.x == x { return }
        if x > place.x { put("\(x - place.x)C") } else { put("\(y + 1);\(x + 1)H") }
      } else {
        put("\(y + 1);\(x + 1)H")
      }
      place = Grid.Cursor(x: x, y: y)
    }

    private mutating func change(to next: Style) {
      guard next != style else { return }
      style = next
      let attributes = next.attributes.union(Theme.attributes(of: next.role))
      var numbers = ["0"]
      if attributes.contains(.bold) { numbers.append("1") }
      if attributes.contains(.underlined) { numbers.append("4") }
      if attributes.contains(.reversed) { numbers.append("7") }
      if let colour = theme.colour(of: next.role) {
        switch depth {
        case .none: break
        case .sixteen: numbers.append("\(colour.basic < 8 ? 30 + colour.basic : 82 + colour.basic)")
        case .many: numbers.append("38;5;\(colour.indexed)")
        case .all: numbers.append("38;2;\(colour.red);\(colour.green);\(colour.blue)")
        }
      }
      put(numbers.joined(separator: ";") + "m")
    }
  }
}
