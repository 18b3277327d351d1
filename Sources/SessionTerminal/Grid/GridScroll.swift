/// Rows of the screen that have moved together: a terminal moves them with few bytes.
struct GridScroll: Hashable {
  /// The part of the screen that moves.
  let rows: Range<Int>
  /// The rows by which its content moves up, or down for a number below 0.
  let step: Int

  /// The most rows that are looked for; a page that has moved by more has little left of it.
  private static let largestStep = 12
  /// Larger screens are written anew: to compare them would take longer than most frames.
  private static let mostCells = 40_000
  /// The columns that are compared at once, to find the steps that rows may have moved by. What stands beside a conversation
  /// does not move with it, so whole rows are seldom the same.
  private static let pieceColumns = 8

  /// The step that leaves the least to be written; nil if nothing moved.
  init?(from old: Grid, to new: Grid) {
    let (rows, columns) = (new.size.rows, new.size.columns)
    guard rows * columns <= Self.mostCells else { return nil }
    // Cells are compared often: their hashes are enough, since what is written is compared again.
    let (after, before) = (new.cells.map(Self.sign), old.cells.map(Self.sign))
    let steps = Self.steps(from: before, to: after, rows, columns)
    guard !steps.isEmpty else { return nil }
    func same(_ y: Int, _ other: Int) -> Int {
      guard (0..<rows).contains(other) else { return 0 }
      var count = 0
      for x in 0..<columns {
        let sign = after[y * columns + x]
        if sign != 0, sign == before[other * columns + x] { count += 1 }
      }
      return count
    }
    let still = (0..<rows).map { same($0, $0) }
    var best: (gain: Int, scroll: GridScroll)?
    for step in steps {
      let gains = (0..<rows).map { same($0, $0 + step) - still[$0] }
      guard let (gain, part) = Self.best(gains), gain > best?.gain ?? 0 else { continue }
      // The rows whose content moves, and those that it comes from.
      let lower = min(part.lowerBound, part.lowerBound + step)
      let upper = max(part.upperBound, part.upperBound + step)
      let moving = max(lower, 0)..<min(upper, rows)
      guard moving.count > abs(step) else { continue }
      best = (gain, GridScroll(moving, step))
    }
    guard let best else { return nil }
    self = best.scroll
  }

  private init(_ rows: Range<Int>, _ step: Int) { (self.rows, self.step) = (rows, step) }

  /// The steps by which some piece of a row has moved, the smallest first.
  private static func steps(from before: [Int], to after: [Int], _ rows: Int, _ columns: Int) -> [Int] {
    let width = (columns + pieceColumns - 1) / pieceColumns
    /// One number for each piece of each row; 0 for a blank piece.
    func pieces(_ signs: [Int]) -> [Int] {
      var pieces = [Int](repeating: 0, count: rows * width)
      for y in 0..<rows {
        for x in 0..<columns {
          let place = y * width + x / pieceColumns
          pieces[place] = pieces[place] &* 31 &+ signs[y * columns + x]
        }
      }
      return pieces
    }
    let (old, new) = (pieces(before), pieces(after))
    // What has stayed, such as a border, has not moved.
    let changed = new.indices.filter { new[$0] != 0 && new[$0] != old[$0] }
    let sizes = (1...largestStep).filter { $0 < rows }
    return sizes.flatMap { [$0, -$0] }.filter { step in
      changed.contains { place in
        let other = place + step * width
        return old.indices.contains(other) && new[place] == old[other]
      }
    }
  }

  /// 0 for a blank cell, which is quickly written.
  private static func sign(of cell: Cell) -> Int { cell == .blank ? 0 : cell.hashValue }

  /// The rows next to each other that gain the most together.
  private static func best(_ gains: [Int]) -> (gain: Int, rows: Range<Int>)? {
    var best: (gain: Int, rows: Range<Int>)?
    var (sum, start) = (0, 0)
    for (y, gain) in gains.enumerated() {
      if sum <= 0 { (sum, start) = (0, y) }
      sum += gain
      if sum > best?.gain ?? 0 { best = (sum, start..<(y + 1)) }
    }
    return best
  }

  /// What a terminal shows after it has moved the rows.
  func applied(to grid: Grid) -> Grid {
    var moved = grid
    for y in rows { moved.copyRow(rows.contains(y + step) ? y + step : nil, of: grid, to: y) }
    return moved
  }
}
