/// Rows of cells, one below the other.
struct TextTable {
  let head: [String]
  var rows: [[String]] = []

  /// The widest that a column is drawn, but the last one.
  private static let widest = 40

  /// The lines, with the head in bold on a terminal; nothing where there are no rows.
  var parts: [CommandOutput.Part] {
    guard !rows.isEmpty else { return [] }
    let widths = head.indices.map { column in
      min(([head] + rows).map { DisplayText.width($0[column]) }.max() ?? 0, Self.widest)
    }
    return [.heading(line(head, widths)), .text("\n" + rows.map { line($0, widths) + "\n" }.joined())]
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let last = cells.count - 1
    let padded = cells.enumerated().map { column, cell in
      guard column < last else { return cell }
      let cell = DisplayText.fitted(cell, to: widths[column])
      return cell + String(repeating: " ", count: widths[column] - DisplayText.width(cell))
    }
    return padded.joined(separator: "  ")
  }
}
