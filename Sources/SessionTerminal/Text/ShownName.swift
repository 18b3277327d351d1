/// Names that people choose, as lists show them.
package enum ShownName {
  /// The most columns of a name.
  static let maxColumns = 24
  /// The signs that the program itself puts before and behind names.
  private static let badges: Set<Character> = ["*", "#", "@", "!", "~", ">", "<", "·"]

  /// The cells of a name. A name that begins or ends with a sign of ours is quoted, so that it cannot pass for one.
  package static func cells(_ name: String, _ style: Style, columns: Int = maxColumns) -> [Cell] {
    var clusters = Cluster.line(name, as: .name)
    while clusters.first == .space { clusters.removeFirst() }
    while clusters.last == .space { clusters.removeLast() }
    if clusters.isEmpty { clusters = Cluster.line("(no name)") }
    let isQuoted = [clusters.first, clusters.last].contains { cluster in
      cluster?.text.first.map(badges.contains) ?? false
    }
    let room = min(columns, maxColumns) - (isQuoted ? 2 : 0)
    let cells = TextLines.fitted(clusters.map { Cell($0, style) }, to: max(room, 1))
    guard isQuoted else { return cells }
    let quote = TextLines.cells("\"", style)
    return quote + cells + quote
  }
}
