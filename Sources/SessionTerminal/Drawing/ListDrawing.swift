/// The list of conversations: two rows for each, and one for the requests.
struct ListDrawing {
  private let state: UIState
  private let part: Rect
  private let listed: [ListedConversation]
  private let first: Int

  init(_ state: UIState, _ part: Rect) {
    (self.state, self.part) = (state, part)
    listed = state.listed
    let cursor = listed.firstIndex { $0.id == state.listCursor } ?? 0
    // The cursor stays in view, with one more where there is one.
    let shown = max(part.height / 2, 1)
    first = max(min(cursor - shown / 2, listed.count - shown), 0)
  }

  /// The conversation in a row of the list.
  func conversation(atRow row: Int) -> String? {
    let index = first + row / 2
    return row >= 0 && listed.indices.contains(index) ? listed[index].id : nil
  }

  func draw(on grid: inout Grid) {
    var y = part.y
    for conversation in listed[min(first, listed.count)...] {
      guard y < part.y + part.height else { break }
      draw(conversation, y: y, on: &grid)
      y += 2
    }
    guard y < part.y + part.height else { return }
    if listed.isEmpty {
      let text = state.narrowing != nil || state.filter != .all ? "nothing fits" : "no conversations yet"
      grid.put(TextLines.cells(" " + text, Style(.dim)), x: part.x, y: y, in: part)
      y += 1
    }
    if !state.requests.isEmpty {
      grid.put(TextLines.cells(" Requests", Style(.accent)), x: part.x, y: y, in: part)
      grid.putRight(TextLines.cells("\(state.requests.count)  ", Style(.accent)), y: y, in: part)
    }
  }

  private func draw(_ conversation: ListedConversation, y: Int, on grid: inout Grid) {
    let isCursor = conversation.id == state.listCursor
    let time = conversation.last.map { state.calendar.short($0.at, now: state.now) } ?? ""
    let right = TextLines.cells(time + " ", Style(.dim))
    let mark = isCursor ? ">" : " "
    let signs = Self.signs(conversation)
    let room = part.width - 2 - signs.count - TextLines.width(of: right) - 1
    let style = conversation.isUnread ? Style(.text, .bold) : Style()
    let name =
      conversation.kind == .noteToSelf
      ? TextLines.cells(conversation.name, style)
      : ShownName.cells(conversation.name, style, columns: room)
    grid.put(
      TextLines.cells(mark + signs, Style(.accent)) + TextLines.fitted(name, to: room), x: part.x, y: y,
      in: part)
    grid.putRight(right, y: y, in: part)

    let badge = TextLines.cells(
      Self.badge(conversation), Style(conversation.mentions > 0 ? .mention : .accent))
    let preview = TextLines.fitted(
      Self.preview(conversation), to: part.width - 5 - TextLines.width(of: badge))
    grid.put(TextLines.cells("   ", Style()) + preview, x: part.x, y: y + 1, in: part)
    grid.putRight(badge, y: y + 1, in: part)
    // The choice of the list is marked by its sign beside this.
    if isCursor, state.focus == .list {
      grid.mark(Rect(x: part.x, y: y, width: part.width, height: min(2, part.y + part.height - y))) {
        $0.attributes.formUnion(.reversed)
      }
    }
  }

  private static func signs(_ conversation: ListedConversation) -> String {
    let kind =
      switch conversation.kind {
      case .group: "*"
      case .room: "#"
      case .person, .noteToSelf: ""
      }
    return (conversation.isPinned ? "^" : "") + kind
  }

  private static func badge(_ conversation: ListedConversation) -> String {
    var badge = conversation.isMuted ? "~" : ""
    if conversation.hasFailed { badge += "!" }
    if conversation.mentions > 0 { badge += "@" }
    if conversation.unread > 0 {
      badge += conversation.unread > 999 ? "999+" : "\(conversation.unread)"
    } else if conversation.isMarkedUnread {
      badge += "new"
    }
    return badge.isEmpty ? "" : badge + "  "
  }

  private static func preview(_ conversation: ListedConversation) -> [Cell] {
    if conversation.isTyping { return TextLines.cells("typing…", Style(.accent)) }
    if let draft = conversation.draft, !draft.isEmpty {
      return TextLines.cells("draft: \(draft)", Style(.note))
    }
    guard let last = conversation.last else { return [] }
    let author =
      last.author.map { ShownName.cells($0, Style(.dim)) + TextLines.cells(": ", Style(.dim)) } ?? []
    let line = last.text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: true).first ?? ""
    return author + TextLines.cells(String(line.prefix(80)), Style(.dim))
  }
}
