/// A box over the conversation.
struct PanelDrawing {
  private let panel: Panel
  private let state: UIState

  private static let widest = 76

  init(_ panel: Panel, _ state: UIState) { (self.panel, self.state) = (panel, state) }

  /// True if a panel covers the whole screen but its last row.
  static func isFull(_ size: ScreenSize) -> Bool { size.columns < 60 }

  func draw(on grid: inout Grid) {
    let isFull = Self.isFull(grid.size)
    let width = isFull ? grid.size.columns : min(Self.widest, grid.size.columns - 4)
    let rows = self.rows
    let wanted = 2 + (panel.input == nil ? 0 : 1) + max(rows.count, 1)
    let height = isFull ? grid.size.rows - 1 : min(wanted, grid.size.rows - 3)
    let box = Rect(
      x: (grid.size.columns - width) / 2, y: isFull ? 0 : max((grid.size.rows - 1 - height) / 3, 0),
      width: width,
      height: height)
    grid.fill(box)
    frame(box, on: &grid)
    var inner = box.inset(by: 1)
    if let input = panel.input {
      let (cells, x, _) = input.rows(columns: 10_000)
      let line = cells.first ?? []
      // A long line shows its end.
      let room = inner.width - 4
      let skipped = max(x - room, 0)
      var columns = 0
      let shown = line.drop { cell in
        defer { columns += cell.cluster.width }
        return columns < skipped
      }
      grid.put(TextLines.cells(" > ", Style(.accent)) + shown, x: inner.x, y: inner.y, in: inner)
      grid.cursor = Grid.Cursor(x: inner.x + 3 + x - skipped, y: inner.y)
      inner = Rect(x: inner.x, y: inner.y + 1, width: inner.width, height: inner.height - 1)
    } else {
      grid.cursor = nil
    }
    guard inner.height > 0 else { return }
    let first = max(min(panel.cursor - inner.height / 2, rows.count - inner.height), 0)
    for (line, row) in rows.dropFirst(first).prefix(inner.height).enumerated() {
      let y = inner.y + line
      let isChosen = first + line == panel.cursor && isChoosing
      let right = TextLines.cells(row.right.isEmpty ? "" : " \(row.right) ", Style(.dim))
      let space = inner.width - 3 - TextLines.width(of: right)
      // A value that is long is worth more than a name that is short.
      let fittedRight = TextLines.fitted(right, to: inner.width * 2 / 3)
      let left = TextLines.fitted(
        TextLines.cells(row.left, row.style),
        to: max(space, inner.width - 3 - TextLines.width(of: fittedRight)))
      grid.put(TextLines.cells(isChosen ? " > " : "   ", Style(.accent)) + left, x: inner.x, y: y, in: inner)
      grid.putRight(fittedRight, y: y, in: inner)
      if isChosen {
        grid.mark(Rect(x: inner.x, y: y, width: inner.width, height: 1)) {
          $0.attributes.formUnion(.reversed)
        }
      }
    }
  }

  /// True if a row can be chosen; texts are only scrolled.
  private var isChoosing: Bool { panel.kind != .network }

  private var rows: [Panel.Row] {
    guard panel.kind == .network else { return panel.rows }
    return NetworkLines.of(state).map { .init(left: $0, choice: .nothing) }
  }

  private func frame(_ box: Rect, on grid: inout Grid) {
    let (across, down) = state.hasBoxes ? ("─", "│") : ("-", "|")
    let corners = state.hasBoxes ? ["┌", "┐", "└", "┘"] : ["+", "+", "+", "+"]
    let line = String(repeating: across, count: max(box.width - 2, 0))
    let style = Style(.border)
    grid.put(TextLines.cells(corners[0] + line + corners[1], style), x: box.x, y: box.y, in: box)
    grid.put(
      TextLines.cells(corners[2] + line + corners[3], style), x: box.x, y: box.y + box.height - 1, in: box)
    for y in (box.y + 1)..<max(box.y + box.height - 1, box.y + 1) {
      grid.put(TextLines.cells(down, style), x: box.x, y: y, in: box)
      grid.put(TextLines.cells(down, style), x: box.x + box.width - 1, y: y, in: box)
    }
    let room = box.width - 4
    grid.put(
      TextLines.fitted(TextLines.cells(" \(panel.title) ", Style(.accent)), to: room), x: box.x + 2, y: box.y,
      in: box)
    let count = panel.rows.count > 1 && isChoosing ? "  \(panel.cursor + 1) of \(panel.rows.count)" : ""
    grid.put(
      TextLines.fitted(TextLines.cells(" \(panel.hint)\(count) ", Style(.hint)), to: room), x: box.x + 2,
      y: box.y + box.height - 1, in: box)
  }
}

/// The paths of requests, drawn.
enum NetworkLines {
  static func of(_ state: UIState) -> [String] {
    guard !state.routes.isEmpty || !state.networkLines.isEmpty else { return ["…"] }
    let arrow = state.hasBoxes ? " → " : " > "
    var lines: [String] = []
    for route in state.routes {
      let nodes = route.nodes.map { state.showsWholeAddresses ? $0 : shortened($0) }
      lines.append(route.purpose)
      lines.append("  this machine" + arrow + nodes.joined(separator: arrow) + arrow + route.end)
      let names = ["guard", "middle", "last"]
      var marks = "  " + String(repeating: " ", count: "this machine".count)
      for (index, node) in nodes.enumerated() {
        let name = index == 0 ? names[0] : index == nodes.count - 1 ? names[2] : names[1]
        marks += "   " + name + String(repeating: " ", count: max(node.count - name.count, 0))
      }
      lines.append(marks)
    }
    if state.routes.isEmpty { lines.append("no path yet") }
    return lines + [""] + state.networkLines
  }

  /// The first half of an address, for screens that others see.
  static func shortened(_ address: String) -> String {
    let host = address.split(separator: ":", maxSplits: 1).first.map(String.init) ?? address
    let parts = host.split(separator: ".")
    guard parts.count == 4 else { return String(address.prefix(max(address.count / 2, 4))) + "…" }
    return "\(parts[0]).\(parts[1]).…"
  }
}
