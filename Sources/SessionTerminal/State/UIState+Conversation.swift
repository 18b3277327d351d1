extension UIState {
  mutating func openConversation(_ id: String) {
    narrowing = nil
    panel = nil
    focus = .composer
    listCursor = id
    guard open?.id != id else { return }
    close()
    focus = .composer
    var opened = OpenConversation(id: id)
    opened.isTyping = conversation(id)?.isTyping ?? false
    open = opened
    effects.append(.load(conversation: id, before: nil))
  }

  /// Opens a conversation that a link names. If there is a draft, it stays, and the text of the link is left out.
  mutating func open(_ id: String, with link: LinkedText) {
    openConversation(id)
    let warning = link.warning.map { "; \($0)" } ?? ""
    guard !link.text.isEmpty else { return tell(link.note + warning) }
    guard !link.hasDraft, draft.composer.isEmpty, !draft.isMoreThanText else {
      return tell("\(link.note); its text was left out, for there is a draft\(warning)", isFailure: true)
    }
    // The person has typed nothing yet: no typing indicator is sent, and no draft is kept.
    var linked = drafts[id] ?? Draft()
    linked.composer.insert(link.text)
    linked.note = link.note
    drafts[id] = linked
    // The note stands above the text.
    tell(link.warning ?? link.note)
  }

  /// Leaves the conversation that is open.
  mutating func close() {
    if draftAt != nil { saveDraft() }
    if typingToldAt.take() != nil, let open { effects.append(.typing(conversation: open.id, false)) }
    if let open { lastOpen = open.id }
    (open, readAt, found) = (nil, nil, nil)
    focus = .list
  }

  mutating func loadOlder() {
    guard let open, open.hasOlder, !open.isLoading else { return }
    self.open?.isLoading = true
    effects.append(.load(conversation: open.id, before: open.messages.first?.id))
  }

  private mutating func loadNewest() {
    guard let open, !open.isLoading else { return }
    self.open?.isLoading = true
    self.open?.anchor = nil
    self.open?.newCount = 0
    effects.append(.load(conversation: open.id, before: nil))
  }

  // MARK: - Scrolling

  /// How messages are drawn; nil while there is no room for them.
  private var drawing: ConversationDrawing? {
    ScreenLayout(self)?.messages.map { ConversationDrawing(self, $0) }
  }

  /// Scrolls towards older messages, or newer ones for a number below 0.
  mutating func scroll(rows: Int) {
    guard let drawing, var open, !open.messages.isEmpty else { return }
    defer { if self.open?.isAtEnd == true { self.open?.newCount = 0 } }
    var (index, shown) = drawing.bottom
    var left = abs(rows)
    if rows > 0 {
      while left > 0 {
        let step = min(left, shown)
        shown -= step
        left -= step
        guard shown == 0 else { continue }
        guard index > 0 else { break }
        index -= 1
        shown = drawing.height(of: index)
      }
      let first = drawing.firstBottom
      if (index, shown) < first { (index, shown) = first }
      self.open?.anchor = .init(message: open.messages[index].id, rows: max(shown, 1))
      if drawing.isNearTop(index) { loadOlder() }
      if index == open.messages.count - 1, shown >= drawing.height(of: index), !open.hasNewer {
        self.open?.anchor = nil
      }
      return
    }
    while left > 0 {
      let height = drawing.height(of: index)
      let step = min(left, height - shown)
      shown += step
      left -= step
      guard left > 0 else { break }
      guard index < open.messages.count - 1 else { break }
      index += 1
      shown = 0
    }
    let isLast = index == open.messages.count - 1 && shown >= drawing.height(of: index)
    if isLast, open.hasNewer { return loadNewest() }
    open.anchor = isLast ? nil : .init(message: open.messages[index].id, rows: max(shown, 1))
    self.open = open
  }

  var pageRows: Int { max((ScreenLayout(self)?.messages?.height ?? 10) - 2, 1) }

  mutating func goToNewest() {
    open?.selection = nil
    if open?.hasNewer == true { return loadNewest() }
    open?.anchor = nil
    open?.newCount = 0
  }

  /// Goes to the oldest message that is here, and fetches those before it.
  mutating func goToOldest() {
    guard let first = open?.messages.first else { return }
    show(atTop: first.id)
    if focus == .messages { open?.selection = first.id }
    loadOlder()
  }

  /// Scrolls so that a message stands at the top, as far as there are enough below it.
  mutating func show(atTop id: Int64) {
    guard let drawing, let open, let start = open.index(of: id) else { return }
    var (index, left) = (start, drawing.part.height)
    while index < open.messages.count {
      let height = drawing.height(of: index)
      if height >= left {
        let isLast = index == open.messages.count - 1 && height == left
        self.open?.anchor =
          isLast && !open.hasNewer ? nil : .init(message: open.messages[index].id, rows: max(left, 1))
        return
      }
      left -= height
      index += 1
    }
    self.open?.anchor = nil
  }

  /// Selects a message, and scrolls no further than shows it.
  mutating func select(_ id: Int64) {
    guard let open, let index = open.index(of: id) else { return }
    focus = .messages
    self.open?.selection = id
    guard let drawing else { return }
    let (bottom, shown) = drawing.bottom
    if index > bottom || (index == bottom && shown < drawing.height(of: index)) {
      let isLast = index == open.messages.count - 1 && !open.hasNewer
      self.open?.anchor = isLast ? nil : .init(message: id, rows: drawing.height(of: index))
      return
    }
    var rows = shown
    for above in stride(from: bottom - 1, through: index, by: -1) { rows += drawing.height(of: above) }
    if rows > drawing.part.height { show(atTop: id) }
    if drawing.isNearTop(index) { loadOlder() }
  }

  // MARK: - Jumping

  mutating func jump(to id: Int64) {
    guard var open else { return }
    open.jumps.append(open.anchor)
    if open.jumps.count > OpenConversation.maxJumps { open.jumps.removeFirst() }
    self.open = open
    guard open.index(of: id) == nil else { return select(id) }
    self.open?.isLoading = true
    effects.append(.jump(conversation: open.id, to: id))
  }

  mutating func jumpBack() {
    guard let place = open?.jumps.popLast() else { return tell("no jump to go back from") }
    open?.selection = nil
    focus = .composer
    guard let place else { return goToNewest() }
    guard open?.index(of: place.message) != nil else {
      open?.isLoading = true
      effects.append(.jump(conversation: open?.id ?? "", to: place.message))
      return
    }
    open?.anchor = place
  }
}
