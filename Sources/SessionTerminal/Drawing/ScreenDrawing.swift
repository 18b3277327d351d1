extension UIState {
  /// The screen of a state.
  package func drawn() -> Grid {
    var grid = Grid(size)
    guard let layout = ScreenLayout(self) else {
      drawTooSmall(on: &grid)
      return grid
    }
    drawLines(layout, on: &grid)
    if let part = layout.listHead { drawListHead(part, on: &grid) }
    if let part = layout.list { ListDrawing(self, part).draw(on: &grid) }
    if let part = layout.conversationHead {
      drawConversationHead(part, isNarrow: layout.divider == nil, on: &grid)
    }
    if let part = layout.messages {
      if open != nil { ConversationDrawing(self, part).draw(on: &grid) } else { drawWelcome(part, on: &grid) }
    }
    if let part = layout.details { drawDetails(part, on: &grid) }
    if let part = layout.composer, open != nil { drawComposer(part, on: &grid) }
    drawHint(layout.hint, on: &grid)
    if panel == nil, narrowing == nil { placeCursor(layout, on: &grid) }
    if let panel { PanelDrawing(panel, self).draw(on: &grid) }
    return grid
  }

  private func drawTooSmall(on grid: inout Grid) {
    let text = "too small: \(ScreenLayout.leastColumns) columns and \(ScreenLayout.leastRows) rows at least"
    let rows = TextLines.wrapped(TextLines.cells(text, Style()), to: max(size.columns, 2))
    for (y, row) in rows.enumerated() { grid.put(row, x: 0, y: y, in: grid.bounds) }
  }

  private func drawLines(_ layout: ScreenLayout, on grid: inout Grid) {
    guard let divider = layout.divider else { return }
    let (across, down, cross) = hasBoxes ? ("─", "│", "┼") : ("-", "|", "+")
    for y in 0..<size.rows {
      let isLine = layout.lines.contains(y)
      if isLine {
        grid.put(
          TextLines.cells(String(repeating: across, count: size.columns), Style(.border)), x: 0, y: y,
          in: grid.bounds)
      }
      grid.put(TextLines.cells(isLine ? cross : down, Style(.border)), x: divider, y: y, in: grid.bounds)
      if let details = layout.details, y < details.y + details.height {
        grid.put(
          TextLines.cells(isLine ? cross : down, Style(.border)), x: details.x - 1, y: y, in: grid.bounds)
      }
    }
  }

  private func drawListHead(_ part: Rect, on grid: inout Grid) {
    if let narrowing {
      let (rows, x, _) = narrowing.rows(columns: 1000)
      grid.put(TextLines.cells(" / ", Style(.accent)) + (rows.first ?? []), x: part.x, y: part.y, in: part)
      grid.cursor = Grid.Cursor(x: min(part.x + 3 + x, part.x + part.width - 1), y: part.y)
      return
    }
    let what = filter == .all ? "" : " (\(filter.rawValue))"
    grid.put(TextLines.cells(" \(account)\(what)", Style(.own)), x: part.x, y: part.y, in: part)
    if unread > 0 { grid.putRight(TextLines.cells("\(unread) ", Style(.accent)), y: part.y, in: part) }
  }

  private func drawConversationHead(_ part: Rect, isNarrow: Bool, on grid: inout Grid) {
    guard let open else { return }
    let listed = openConversation
    var right = ""
    if !isNarrow, let id = listed?.shortID, listed?.kind != .noteToSelf { right = id }
    if let timer = listed?.timer { right += (right.isEmpty ? "" : "  ") + timer + (isNarrow ? "" : " timer") }
    let state =
      open.isTyping
      ? "  typing…" : listed?.isRequest == true ? "  request" : listed?.isBlocked == true ? "  blocked" : ""
    let left =
      TextLines.cells(isNarrow ? " < " : " ", Style(.dim))
      + ShownName.cells(listed?.name ?? open.id, Style(.text, .bold), columns: part.width - 4)
      + TextLines.cells(state, Style(.accent))
    let end = TextLines.fitted(TextLines.cells(right + " ", Style(.dim)), to: part.width / 2)
    grid.put(
      TextLines.fitted(left, to: part.width - TextLines.width(of: end) - 1), x: part.x, y: part.y, in: part)
    grid.putRight(end, y: part.y, in: part)
  }

  private func drawWelcome(_ part: Rect, on grid: inout Grid) {
    let lines = [
      "Up and Down choose, Enter opens.", "\(keys.name(of: .palette)) finds everything by name.",
      "\(keys.name(of: .help)) shows the keys.",
    ]
    for (index, line) in lines.enumerated() {
      grid.put(
        TextLines.fitted(TextLines.cells("  " + line, Style(.dim)), to: part.width), x: part.x,
        y: part.y + 1 + index,
        in: part)
    }
  }

  private func drawDetails(_ part: Rect, on grid: inout Grid) {
    var y = part.y
    for (name, value) in DetailLines.of(open?.selected, openConversation, calendar, now: now) {
      grid.put(TextLines.cells(" \(name)", Style(.dim)), x: part.x, y: y, in: part)
      y += 1
      for row in TextLines.wrapped(TextLines.cells(value, Style()), to: part.width - 3) {
        grid.put(TextLines.cells("  ", Style()) + row, x: part.x, y: y, in: part)
        y += 1
      }
    }
  }

  private func drawComposer(_ part: Rect, on grid: inout Grid) {
    let draft = draft
    var part = part
    if draft.hasHead {
      var head: [Cell] = []
      if let answered = draft.answering {
        head +=
          TextLines.cells(" reply to ", Style(.accent)) + ShownName.cells(answered.author, Style(.accent))
          + TextLines.cells(": \(answered.text.prefix(100))", Style(.dim))
      }
      if draft.editing != nil { head += TextLines.cells(" editing", Style(.accent)) }
      if let note = draft.note { head += TextLines.cells(" \(note)", Style(.accent)) }
      for file in draft.files {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        head +=
          TextLines.cells(" [", Style(.accent)) + TextLines.cells(name, Style(), as: .name)
          + TextLines.cells("]", Style(.accent))
      }
      grid.put(TextLines.fitted(head, to: part.width), x: part.x, y: part.y, in: part)
      part = Rect(x: part.x, y: part.y + 1, width: part.width, height: part.height - 1)
    }
    let (rows, _, cursorRow) = draft.composer.rows(columns: part.width - 3)
    let first = max(cursorRow - part.height + 1, 0)
    for (index, row) in rows.dropFirst(first).prefix(part.height).enumerated() {
      let mark = index == 0 ? " > " : "   "
      grid.put(TextLines.cells(mark, Style(.accent)) + row, x: part.x, y: part.y + index, in: part)
    }
  }

  private func placeCursor(_ layout: ScreenLayout, on grid: inout Grid) {
    switch focus {
    case .composer:
      guard let part = layout.composer else { return }
      let (_, x, y) = draft.composer.rows(columns: part.width - 3)
      let room = part.height - (draft.hasHead ? 1 : 0)
      let row = min(y, max(room - 1, 0)) + (draft.hasHead ? 1 : 0)
      grid.cursor = Grid.Cursor(x: min(part.x + 3 + x, size.columns - 1), y: min(part.y + row, size.rows - 1))
    case .list:
      guard let part = layout.list else { return }
      // Screen readers read where the cursor is.
      let drawing = ListDrawing(self, part)
      let y = (0..<part.height).first { drawing.conversation(atRow: $0) == listCursor } ?? 0
      grid.cursor = Grid.Cursor(x: part.x, y: part.y + y)
    case .messages:
      guard let part = layout.messages else { return }
      let y = ConversationDrawing(self, part).row(of: open?.selection) ?? 0
      grid.cursor = Grid.Cursor(x: part.x, y: part.y + y)
    }
  }

  // MARK: - The last row

  private var status: String {
    guard isHolderThere else { return "reconnecting…" }
    guard let connection else { return "connecting" }
    var status = connection.isReachable ? "connected" : "no network"
    if connection.waiting > 0 { status += "  \(connection.waiting) waiting" }
    return status
  }

  private var hints: String {
    let palette = "\(keys.name(of: .palette)) all"
    switch focus {
    case .list: return "Enter open  / find  u unread first  \(palette)"
    case .messages: return "r reply  e react  d delete  s save  Esc back  \(palette)"
    case .composer:
      let count = draft.composer.characters.count
      if count * 5 >= maxCharacters * 4 {
        return count > maxCharacters ? "\(count - maxCharacters) too many" : "\(maxCharacters - count) left"
      }
      return "Enter send  \(keys.name(of: .newLine)) line  Esc back  \(palette)"
    }
  }

  private func drawHint(_ part: Rect, on grid: inout Grid) {
    if let notice {
      let style = Style(notice.isFailure ? .failed : .accent)
      grid.put(
        TextLines.fitted(TextLines.cells(" \(notice.text)", style), to: part.width), x: part.x, y: part.y,
        in: part)
      return
    }
    let isWide = size.columns >= 60
    let left = TextLines.cells(
      " \(status)", Style(connection?.isReachable == false || !isHolderThere ? .failed : .hint))
    let hints = TextLines.cells(" \(hints)", Style(.hint))
    guard isWide else {
      let isWorthSaying = connection?.isReachable == false || !isHolderThere
      grid.put(TextLines.fitted(isWorthSaying ? left : hints, to: part.width), x: part.x, y: part.y, in: part)
      return
    }
    let middle = ScreenLayout(self)?.divider ?? 0
    grid.put(TextLines.fitted(left, to: middle), x: part.x, y: part.y, in: part)
    grid.put(TextLines.cells(hasBoxes ? "│" : "|", Style(.border)), x: middle, y: part.y, in: part)
    grid.put(TextLines.fitted(hints, to: part.width - middle - 1), x: middle + 1, y: part.y, in: part)
  }
}
