/// The rows of a message.
struct MessageRows {
  struct Row: Hashable {
    var left: [Cell]
    /// At the end of the row.
    var right: [Cell] = []
  }

  /// What the rows of a message depend on beside it.
  struct Setting {
    let width: Int
    let calendar: LocalCalendar
    let now: Int64
    var found: String?
    var hasBoxes = true
    var transfers: [Int64: Double] = [:]
    /// The message before which a line says that what follows is new.
    var firstUnread: Int64?
    var unread = 0
    var unfolded: Set<Int64> = []
  }

  static let grouped: Int64 = 300_000
  static let foldedRows = 30
  private static let indent = "   "

  private let message: ShownMessage
  private let setting: Setting

  /// The rows of a message that follows another one.
  static func of(_ message: ShownMessage, after previous: ShownMessage?, in setting: Setting) -> [Row] {
    let drawing = MessageRows(message: message, setting: setting)
    var rows: [Row] = []
    let day = setting.calendar.day(message.sentAt)
    if previous.map({ setting.calendar.day($0.sentAt) != day }) ?? true {
      rows.append(drawing.centred(setting.calendar.long(message.sentAt, now: setting.now), Style(.dim)))
    }
    if setting.firstUnread == message.id { rows.append(drawing.unreadLine) }
    guard message.kind != .note else {
      return rows + drawing.wrapped(message.text, Style(.note)).map { Row(left: $0) }
    }
    if !isGrouped(message, with: previous) || setting.firstUnread == message.id { rows.append(drawing.head) }
    return rows + drawing.body
  }

  /// True if the head of the message before says all of what that of this one would.
  private static func isGrouped(_ message: ShownMessage, with previous: ShownMessage?) -> Bool {
    guard let previous, previous.kind != .note, previous.author == message.author,
      previous.authorID == message.authorID, previous.isOutgoing == message.isOutgoing,
      previous.state == message.state, !message.isEdited, message.whisper == nil, message.changeFailure == nil
    else { return false }
    // The time that is left stands in the head.
    guard message.disappearsAt == nil || message.disappearsAt == previous.disappearsAt else { return false }
    return message.sentAt >= previous.sentAt && message.sentAt - previous.sentAt < grouped
  }

  // MARK: - Parts

  private func centred(_ text: String, _ style: Style) -> Row {
    let cells = TextLines.cells(text, style)
    let space = max((setting.width - TextLines.width(of: cells)) / 2, 0)
    return Row(left: Array(repeating: .blank, count: space) + cells)
  }

  private var unreadLine: Row {
    let text = " \(setting.unread) new "
    let line = setting.hasBoxes ? "─" : "-"
    let side = max((setting.width - 2 - text.count) / 2, 1)
    let bar = String(repeating: line, count: side)
    return Row(left: TextLines.cells(" " + bar + text + bar, Style(.accent)))
  }

  private var head: Row {
    var right = setting.calendar.time(message.sentAt)
    var style = Style(.dim)
    switch message.state {
    case .received, .sent: break
    case .sending: right += "  sending"
    case .read: right += "  read"
    case .failed:
      right += "  not sent"
      style = Style(.failed)
    case .unsynced: right += "  sent"
    }
    if message.isEdited { right += "  edited" }
    if let at = message.disappearsAt, at - setting.now < 3_600_000 {
      let left = max(at - setting.now, 0) / 1000
      right += left < 60 ? "  \(left) s left" : "  \(left / 60) min left"
    }
    let name =
      message.isOutgoing
      ? TextLines.cells("me", Style(.own))
      : ShownName.cells(message.author, Style(.other), columns: setting.width)
    return Row(left: TextLines.cells(" ", Style()) + name, right: TextLines.cells(right, style))
  }

  private var body: [Row] {
    var rows: [[Cell]] = []
    if let whisper = message.whisper { rows += wrapped(whisper, Style(.note)) }
    if let quote = message.quote {
      let text = quote.text ?? "a message that is not on this device"
      let line =
        TextLines.cells("> ", Style(.dim)) + ShownName.cells(quote.author, Style(.dim))
        + TextLines.cells(": \(text.prefix(300))", Style(.dim))
      rows.append(indented(TextLines.fitted(line, to: setting.width - 4)))
    }
    switch message.kind {
    case .deleted: rows += wrapped("(deleted)", Style(.note))
    default: if !message.text.isEmpty { rows += text }
    }
    for (index, file) in message.files.enumerated() { rows += self.file(file, number: index + 1) }
    if let title = message.linkTitle { rows.append(indented(fitted("[\(title)]", Style(.dim)))) }
    if !message.reactions.isEmpty { rows += reactions }
    if case .failed(let reason) = message.state {
      rows += wrapped("not sent: \(reason) (R again)", Style(.failed))
    }
    if case .unsynced(let reason) = message.state {
      rows += wrapped("not on your other devices: \(reason)", Style(.failed))
    }
    if let failure = message.changeFailure { rows += wrapped("not changed: \(failure)", Style(.failed)) }
    if rows.isEmpty { rows = wrapped("(empty)", Style(.note)) }
    return rows.map { Row(left: $0) }
  }

  private func indented(_ cells: [Cell]) -> [Cell] { TextLines.cells(Self.indent, Style()) + cells }

  private func fitted(_ text: String, _ style: Style) -> [Cell] {
    TextLines.fitted(TextLines.cells(text, style), to: setting.width - 4)
  }

  private func wrapped(_ text: String, _ style: Style) -> [[Cell]] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      TextLines.wrapped(TextLines.cells(String(line), style), to: setting.width - 4).map(indented)
    }
  }

  private var text: [[Cell]] {
    var rows: [[Cell]] = []
    var isCode = false
    let most = setting.unfolded.contains(message.id) ? Int.max : Self.foldedRows
    // No more is laid out than is shown, and counted.
    for line in message.text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard rows.count <= most else { break }
      let isFence = line.hasPrefix("```")
      if isFence { isCode.toggle() }
      let style = isCode || isFence || line.hasPrefix("    ") ? Style(.code) : Style()
      let cells = marked(linked(TextLines.cells(String(line), style), style))
      let room = setting.width - 4
      let wrapped = TextLines.wrapped(cells, to: room)
      let isRightToLeft = TextLines.isRightToLeft(line)
      rows += wrapped.map { row in
        let space = isRightToLeft ? max(room - TextLines.width(of: row), 0) : 0
        return indented(Array(repeating: .blank, count: space) + row)
      }
    }
    guard rows.count > most else { return rows }
    return Array(rows.prefix(most)) + [indented(TextLines.cells("… (Space unfolds it)", Style(.dim)))]
  }

  /// Underlines addresses of pages.
  private func linked(_ cells: [Cell], _ style: Style) -> [Cell] {
    var cells = cells
    var start = 0
    while start < cells.count {
      let end = cells[start...].firstIndex { $0.cluster == .space } ?? cells.count
      if end - start > 7, cells[start].cluster.text == "h" {
        let word = cells[start..<min(end, start + 8)].map(\.cluster.text).joined()
        if word == "https://" || word.hasPrefix("http://") {
          for index in start..<end { cells[index].style = Style(.link) }
        }
      }
      start = end + 1
    }
    return cells
  }

  /// Marks what is searched for.
  private func marked(_ cells: [Cell]) -> [Cell] {
    let words = (setting.found ?? "").lowercased().split(separator: " ").map { $0.map(String.init) }
    guard !words.isEmpty else { return cells }
    var cells = cells
    let letters = cells.map { $0.cluster.text.lowercased() }
    for word in words where word.count <= letters.count {
      for start in 0...(letters.count - word.count)
      where letters[start..<(start + word.count)].elementsEqual(word) {
        for index in start..<(start + word.count) { cells[index].style = Style(.match) }
      }
    }
    return cells
  }

  private func file(_ file: ShownMessage.File, number: Int) -> [[Cell]] {
    var line = TextLines.cells("[\(number)] ", Style(.dim)) + TextLines.cells(file.name, Style(), as: .name)
    var tail = "  \(file.size)"
    if let share = setting.transfers[file.id] {
      tail = " " + ProgressCells.bar(share, columns: 16, hasBoxes: setting.hasBoxes) + "  \(file.size)"
    } else {
      switch file.state {
      case .here: break
      case .remote: tail += "  not here yet"
      case .moving: tail += "  on its way"
      case .failed: tail += "  failed"
      case .gone: tail += "  cannot be had"
      }
    }
    let room = setting.width - 4 - TextLines.width(of: TextLines.cells(tail, Style()))
    line = TextLines.fitted(line, to: max(room, 8)) + TextLines.cells(tail, Style(.dim))
    var rows = [indented(TextLines.fitted(line, to: setting.width - 4))]
    if let caption = file.caption { rows += wrapped("    \(caption)", Style()) }
    return rows
  }

  private var reactions: [[Cell]] {
    let parts = message.reactions.map { reaction in
      var people = reaction.people.prefix(5).joined(separator: ", ")
      let more = reaction.people.count - 5 + reaction.others
      if reaction.people.count > 5 || reaction.others > 0, more > 0 { people += " and \(more) more" }
      // The emoji of a stranger is any text.
      return "\(reaction.emoji.prefix(4)) \(people)"
    }
    return wrapped(parts.joined(separator: "  "), Style(.dim))
  }
}

/// Bars of progress.
enum ProgressCells {
  /// A bar with its number of percent.
  static func bar(_ share: Double, columns: Int, hasBoxes: Bool) -> String {
    let share = min(max(share.isFinite ? share : 0, 0), 1)
    let eighths = Int(share * Double(columns) * 8)
    let parts = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    var bar = String(repeating: hasBoxes ? "█" : "#", count: eighths / 8)
    if hasBoxes, eighths / 8 < columns { bar += parts[eighths % 8] }
    let filled = bar.count
    bar += String(repeating: hasBoxes ? " " : "-", count: max(columns - filled, 0))
    return "[\(bar)] \(Int(share * 100)) %"
  }
}
