/// The messages of the open conversation in a part of the screen.
struct ConversationDrawing {
  let part: Rect
  private let state: UIState
  private let open: OpenConversation
  private let setting: MessageRows.Setting

  /// How near to the oldest message the view comes before older ones are fetched.
  private static let nearTop = 10

  init(_ state: UIState, _ part: Rect) {
    (self.state, self.part) = (state, part)
    let open = state.open ?? OpenConversation(id: "")
    self.open = open
    var setting = MessageRows.Setting(width: max(part.width, 8), calendar: state.calendar, now: state.now)
    setting.found = state.found
    setting.hasBoxes = state.hasBoxes
    setting.transfers = state.transfers
    setting.firstUnread = open.firstUnread
    if let first = open.firstUnread.flatMap({ open.index(of: $0) }) {
      setting.unread = open.messages[first...].count { !$0.isOutgoing && $0.kind != .note }
    }
    setting.unfolded = open.unfolded
    self.setting = setting
  }

  private func rows(of index: Int) -> [MessageRows.Row] {
    MessageRows.of(open.messages[index], after: index > 0 ? open.messages[index - 1] : nil, in: setting)
  }

  func height(of index: Int) -> Int { rows(of: index).count }

  func isNearTop(_ index: Int) -> Bool {
    guard index > Self.nearTop else { return true }
    // A window that is higher than all that is left above.
    return index * 2 < part.height
  }

  /// The message at the bottom of the view, and how many of its rows are shown.
  var bottom: (index: Int, rows: Int) {
    let last = open.messages.count - 1
    guard last >= 0 else { return (0, 0) }
    guard let anchor = open.anchor, let index = open.index(of: anchor.message) else {
      return (last, height(of: last))
    }
    let place = (index, min(max(anchor.rows, 1), height(of: index)))
    // After a change of the width, there may be nothing above that fills the view.
    let first = firstBottom
    return place < first ? first : place
  }

  /// The bottom while the oldest message is at the top.
  var firstBottom: (index: Int, rows: Int) {
    var left = part.height
    for index in open.messages.indices {
      let height = height(of: index)
      if height >= left { return (index, left) }
      left -= height
    }
    let last = open.messages.count - 1
    return last < 0 ? (0, 0) : (last, height(of: last))
  }

  /// The rows of the view from its top, with the message that each belongs to.
  private var view: [(id: Int64, row: MessageRows.Row)] {
    guard !open.messages.isEmpty else { return [] }
    var (index, shown) = bottom
    var view: [(id: Int64, row: MessageRows.Row)] = []
    while view.count < part.height {
      let rows = rows(of: index).prefix(shown)
      view += rows.reversed().map { (open.messages[index].id, $0) }
      guard index > 0 else { break }
      index -= 1
      shown = Int.max
    }
    return view.prefix(part.height).reversed()
  }

  func message(atRow row: Int) -> Int64? {
    let view = view
    return view.indices.contains(row) ? view[row].id : nil
  }

  /// The first row of a message in the view; nil if it is not there.
  func row(of id: Int64?) -> Int? { view.firstIndex { $0.id == id } }

  func draw(on grid: inout Grid) {
    if open.messages.isEmpty {
      let text = open.isLoading ? "…" : "no messages yet"
      grid.put(TextLines.cells("  " + text, Style(.dim)), x: part.x, y: part.y, in: part)
    }
    for (index, line) in view.enumerated() {
      let y = part.y + index
      let isSelected = state.focus == .messages && line.id == open.selection
      let right = TextLines.width(of: line.row.right)
      let left = right > 0 ? TextLines.fitted(line.row.left, to: part.width - right - 2) : line.row.left
      grid.put(left, x: part.x, y: y, in: part)
      if right > 0 {
        grid.putRight(
          line.row.right, y: y, in: Rect(x: part.x, y: part.y, width: part.width - 1, height: part.height))
      }
      guard isSelected else { continue }
      grid.put(TextLines.cells(">", Style(.accent)), x: part.x, y: y, in: part)
      grid.mark(Rect(x: part.x, y: y, width: part.width, height: 1)) { $0.attributes.formUnion(.reversed) }
    }
    if !open.isAtEnd {
      let more = open.newCount > 0 ? " ↓ \(open.newCount) new " : " ↓ "
      let text = state.hasBoxes ? more : more.replacing("↓", with: "v")
      grid.putRight(TextLines.cells(text, Style(.chosen)), y: part.y + part.height - 1, in: part)
    }
  }
}
