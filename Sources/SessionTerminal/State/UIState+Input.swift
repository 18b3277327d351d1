extension UIState {
  mutating func take(_ input: InputEvent) {
    switch input {
    case .key(let key):
      lastKeyAt = now
      take(key)
      considerReading()
    case .paste(let text, let isCut):
      lastKeyAt = now
      paste(text, isCut: isCut)
    case .mouse(let mouse):
      lastKeyAt = now
      take(mouse)
      considerReading()
    case .focus(let isThere):
      hasFocus = isThere
      considerReading()
    case .answer: break
    }
  }

  private mutating func take(_ key: Key) {
    if panel != nil { return takeInPanel(key) }
    if narrowing != nil { return takeWhileNarrowing(key) }
    switch focus {
    case .list: takeInList(key)
    case .messages: takeInMessages(key)
    case .composer: takeInComposer(key)
    }
  }

  // MARK: - The list

  private mutating func takeInList(_ key: Key) {
    switch (key.code, key.modifiers) {
    case (.up, []): moveInList(-1)
    case (.down, []): moveInList(1)
    case (.home, []): listCursor = listed.first?.id
    case (.end, []): listCursor = listed.last?.id
    case (.enter, []), (.right, []):
      if let id = listCursor { openConversation(id) }
    case (.character(let digit), .alt) where ("1"..."9").contains(digit):
      let place = (digit.wholeNumberValue ?? 1) - 1
      if listed.indices.contains(place) { openConversation(listed[place].id) }
    default: if let action = keys.action(of: key, in: .list) { perform(action) }
    }
  }

  mutating func moveInList(_ step: Int) {
    let listed = listed
    guard !listed.isEmpty else { return }
    let place = listed.firstIndex { $0.id == listCursor } ?? 0
    listCursor = listed[min(max(place + step, 0), listed.count - 1)].id
  }

  private mutating func takeWhileNarrowing(_ key: Key) {
    switch (key.code, key.modifiers) {
    case (.escape, []): narrowing = nil
    case (.enter, []):
      let first = listed.contains { $0.id == listCursor } ? listCursor : listed.first?.id
      narrowing = nil
      if let first { openConversation(first) }
    case (.up, []): moveInList(-1)
    case (.down, []): moveInList(1)
    case (.character("c"), .control): narrowing = nil
    default:
      _ = narrowing?.take(key)
      if !listed.contains(where: { $0.id == listCursor }) { listCursor = listed.first?.id }
    }
  }

  // MARK: - The messages

  private mutating func takeInMessages(_ key: Key) {
    switch (key.code, key.modifiers) {
    case (.up, []): moveSelection(-1)
    case (.down, []): moveSelection(1)
    default: if let action = keys.action(of: key, in: .messages) { perform(action) }
    }
  }

  mutating func moveSelection(_ step: Int) {
    guard let open, !open.messages.isEmpty else { return }
    let place = open.selection.flatMap { open.index(of: $0) } ?? open.messages.count
    let next = place + step
    guard next < open.messages.count else {
      self.open?.selection = nil
      focus = .composer
      return
    }
    guard next >= 0 else { return loadOlder() }
    select(open.messages[next].id)
  }

  // MARK: - The composer

  private mutating func takeInComposer(_ key: Key) {
    guard let id = open?.id else {
      focus = .list
      return
    }
    if key.code == .escape, key.modifiers.isEmpty, draft.isMoreThanText {
      guard draft.editing == nil else {
        drafts[id] = draft.unsent
        return
      }
      drafts[id]?.answering = nil
      drafts[id]?.files = []
      return
    }
    switch (key.code, key.modifiers) {
    case (.up, []) where draft.composer.isEmpty: return moveSelection(-1)
    case (.up, []), (.down, []):
      let columns = composerColumns
      _ = drafts[id]?.composer.move(rows: key.code == .up ? -1 : 1, columns: columns)
      return
    case (.backspace, []) where draft.composer.isEmpty && !draft.files.isEmpty:
      drafts[id]?.files.removeLast()
      return
    default: break
    }
    // A control key that edits is no action; the others are, wherever they are pressed.
    if let action = keys.action(of: key, in: .composer) { return perform(action) }
    write { $0.take(key) }
  }

  /// The columns of the composer's text.
  var composerColumns: Int { (ScreenLayout(self)?.composer?.width ?? 20) - 3 }

  /// Changes the text that is being written.
  mutating func write(_ change: (inout Composer) -> Bool) {
    guard let id = open?.id else { return }
    let before = draft.composer
    var composer = before
    guard change(&composer) else { return }
    drafts[id, default: Draft()].composer = composer
    if composer.isEmpty { drafts[id]?.note = nil }
    guard composer.characters != before.characters else { return }
    if draft.editing == nil { keepDraft(of: id) }
    if composer.isEmpty {
      if typingToldAt.take() != nil { effects.append(.typing(conversation: id, false)) }
    } else if typingToldAt.map({ now - $0 >= Self.typingPause || now < $0 }) ?? true {
      typingToldAt = now
      effects.append(.typing(conversation: id, true))
    }
  }

  // MARK: - Pasting

  private static let (fewLines, fewCharacters) = (4, 2000)

  private mutating func paste(_ text: String, isCut: Bool) {
    if isCut { tell("the pasted text was cut: files can be longer", isFailure: true) }
    if panel?.input != nil {
      let line = text.split(separator: "\n").joined(separator: " ")
      panel?.input?.insert(line)
      inputChanged()
      return
    }
    if narrowing != nil {
      narrowing?.insert(text.split(separator: "\n").joined(separator: " "))
      return
    }
    guard panel == nil, open != nil else { return }
    focus = .composer
    let lines = text.reduce(into: 1) { if $1 == "\n" { $0 += 1 } }
    guard lines <= Self.fewLines, text.count <= Self.fewCharacters else {
      panel = Panel(
        .pasted(text), title: "paste \(lines) lines, \(text.count) characters?",
        rows: [.init(left: "as text", choice: .insert(text)), .init(left: "not at all", choice: .nothing)],
        hint: "Enter choose   Esc close")
      return
    }
    write {
      $0.insert(text)
      return true
    }
  }

  // MARK: - The mouse

  private static let wheelRows = 3

  private mutating func take(_ mouse: Mouse) {
    guard let layout = ScreenLayout(self) else { return }
    switch mouse.kind {
    case .wheelUp, .wheelDown:
      let step = mouse.kind == .wheelUp ? -1 : 1
      if panel != nil {
        panel?.move(step)
      } else if layout.list?.contains(x: mouse.x, y: mouse.y) == true {
        moveInList(step)
      } else {
        scroll(rows: -step * Self.wheelRows)
      }
    case .press:
      guard panel == nil else { return }
      if let list = layout.list, list.contains(x: mouse.x, y: mouse.y) {
        focus = .list
        guard let id = ListDrawing(self, list).conversation(atRow: mouse.y - list.y) else { return }
        if listCursor == id { openConversation(id) } else { listCursor = id }
      } else if layout.composer?.contains(x: mouse.x, y: mouse.y) == true, open != nil {
        focus = .composer
      } else if let messages = layout.messages, messages.contains(x: mouse.x, y: mouse.y), open != nil {
        guard let id = ConversationDrawing(self, messages).message(atRow: mouse.y - messages.y) else {
          return
        }
        select(id)
      }
    case .drag:
      if let divider = layout.divider, abs(mouse.x - divider) <= 2 { listWidth = mouse.x }
    case .release: break
    }
    listWidth = min(max(listWidth, ScreenLayout.listWidths.lowerBound), ScreenLayout.listWidths.upperBound)
  }
}
