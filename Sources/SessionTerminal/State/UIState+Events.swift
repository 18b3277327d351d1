extension UIState {
  /// Takes an event at a time, and returns what has to be done.
  package mutating func take(_ event: UIEvent, at now: Int64) -> [UIEffect] {
    // A clock that is set back does not stop anything.
    self.now = now
    switch event {
    case .input(let input): take(input)
    case .resize(let size):
      self.size = size
      considerReading()
    case .tick: break
    case .end:
      saveDraft()
      effects.append(.leaveProgram)
    default: takeNews(event)
    }
    tick()
    defer { effects = [] }
    return effects
  }

  // MARK: - Time

  private mutating func tick() {
    if let notice, notice.until <= now { self.notice = nil }
    if let leavingUntil, leavingUntil <= now { self.leavingUntil = nil }
    if isOrderOld, focus != .list || now - lastKeyAt >= Self.orderPause { reorder() }
    if let draftAt, draftAt <= now { saveDraft() }
    if let readAt, readAt <= now {
      markShownRead()
      considerReading()
    }
    // A clock that was set back by much would keep all of these waiting.
    if let notice, notice.until > now + Self.noticeTime { self.notice?.until = now + Self.noticeTime }
    if lastKeyAt > now { lastKeyAt = now }
  }

  mutating func saveDraft() {
    draftAt = nil
    guard let id = draftOf.take() else { return }
    effects.append(.draft(conversation: id, text: drafts[id]?.unsent.composer.text ?? ""))
  }

  /// Has the draft of a conversation be kept soon.
  mutating func keepDraft(of id: String) {
    if draftOf != id { saveDraft() }
    (draftAt, draftOf) = (now + Self.draftPause, id)
  }

  /// True if a person looks at the screen, as far as that is known.
  private var isAttended: Bool { hasFocus ?? (now - lastKeyAt < Self.attention) }

  /// The newest message on the screen; nil while messages are not shown.
  private var newestShown: Int64? {
    guard ScreenLayout(self)?.messages != nil, panel == nil || !PanelDrawing.isFull(size) else { return nil }
    return open?.anchor?.message ?? open?.messages.last?.id
  }

  /// Has what is on the screen be marked as read soon.
  mutating func considerReading() {
    guard let open, let listed = conversation(open.id), !listed.isRequest, isAttended, !open.isLoading,
      let shown = newestShown, shown > (open.readUpTo ?? 0),
      listed.isUnread || open.messages.last.map({ $0.id > (open.readUpTo ?? 0) && !$0.isOutgoing }) == true
    else {
      readAt = nil
      return
    }
    // What comes meanwhile is shown for a second of its own.
    if readAt == nil { (readAt, readTarget) = (now + Self.readPause, shown) }
  }

  /// Marks what was on the screen for the whole second.
  private mutating func markShownRead() {
    readAt = nil
    guard isAttended, var open, let shown = newestShown,
      let place = [shown, readTarget].compactMap({ open.index(of: $0) }).min()
    else { return }
    let last = open.messages[place].id
    guard last > (open.readUpTo ?? 0) else { return }
    open.readUpTo = last
    self.open = open
    effects.append(.markRead(conversation: open.id, upTo: last))
  }

  // MARK: - What the account says

  private mutating func takeNews(_ event: UIEvent) {
    switch event {
    case .conversations(let listed, let requests): take(listed, requests)
    case .page(let id, let before, let messages, let hasOlder):
      take(page: messages, of: id, before: before, hasOlder: hasOlder)
    case .place(let id, let messages, let hasOlder, let hasNewer, let target):
      guard open?.id == id else { return }
      open?.messages = messages
      open?.hasOlder = hasOlder
      open?.hasNewer = hasNewer
      open?.isLoading = false
      select(target)
      considerReading()
    case .around(let id, let messages, let hasOlder, let hasNewer):
      guard var open, open.id == id else { return }
      open.replace(messages, hasOlder: hasOlder, hasNewer: hasNewer)
      self.open = open
      considerReading()
    case .changed(let id, let message):
      guard open?.id == id else { return }
      open?.take(message)
      if !message.isOutgoing { considerReading() }
    case .removed(let id, let message):
      guard open?.id == id else { return }
      open?.remove(message)
      if open?.messages.isEmpty == true {
        open?.selection = nil
        if focus == .messages { focus = .composer }
      }
    case .typing(let id, let isTyping):
      if open?.id == id { open?.isTyping = isTyping }
      for index in conversations.indices where conversations[index].id == id {
        conversations[index].isTyping = isTyping
      }
    case .transfer(let file, let share): transfers[file] = share >= 1 ? nil : min(max(share, 0), 1)
    case .connection(let connection): self.connection = connection
    case .holder(let isThere): isHolderThere = isThere
    case .notice(let text, let isFailure): tell(text, isFailure: isFailure)
    case .failed(let effect): takeBack(effect)
    case .draft(let id, let answered, let note):
      guard knownDrafts.insert(id).inserted else { break }
      if let kept = drafts[id]?.unsent, !kept.composer.isEmpty, kept.answering == nil {
        drafts[id]?.reply(to: answered)
      }
      if let note { tell(note) }
    case .opened(let id): openConversation(id)
    case .linked(let id, let link): open(id, with: link)
    case .offered(let link, let lines, let isMore): offer(link, lines, isMore: isMore)
    case .found(let query, let place, let hits): take(hits, of: query, in: place)
    case .people(let id, let people): take(people, of: id)
    case .settings(let settings): take(settings)
    case .scheduled(let messages): take(messages)
    case .media(let id, let files): take(files, of: id)
    case .safetyNumber(let id, let numbers): take(numbers, of: id)
    case .network(let routes, let lines): (self.routes, networkLines) = (routes, lines)
    case .input, .resize, .tick, .end: break
    }
  }

  /// Gives back the text of what could not be done, and waits for nothing that will not come.
  private mutating func takeBack(_ effect: UIEffect) {
    switch effect {
    case .load(let id, _), .jump(let id, _):
      guard open?.id == id else { return }
      open?.isLoading = false
      considerReading()
    case .send(let id, let text, let answered, let files),
      .schedule(let id, let text, let answered, let files, _):
      let message = open?.messages.first { $0.id == answered }
      drafts[id, default: Draft()].putBack(text, answering: message, files)
      keepDraft(of: id)
    case .edit(let id, let message, let text):
      let draft = drafts[id] ?? Draft()
      // Another edit goes on.
      guard draft.editing == nil else {
        drafts[id]?.putBack(text, answering: nil, [])
        return keepDraft(of: id)
      }
      drafts[id] = draft.editing(message, text)
    default: break
    }
  }

  private mutating func take(_ listed: [ListedConversation], _ requests: [ListedConversation]) {
    let isFirst = conversations.isEmpty
    (conversations, self.requests) = (listed, requests)
    let known = Set(order)
    let isSame = Set(listed.map(\.id)) == known
    if isFirst || focus != .list || now - lastKeyAt >= Self.orderPause {
      reorder()
    } else {
      // The list is not put into another order under the cursor; what is gone is gone, and what is new stands below.
      order += isSame ? [] : listed.map(\.id).filter { !known.contains($0) }
      isOrderOld = true
    }
    if listCursor == nil || conversation(listCursor ?? "") == nil { listCursor = self.listed.first?.id }
    for conversation in listed where conversation.id != open?.id && drafts[conversation.id] == nil {
      if let draft = conversation.draft, !draft.isEmpty {
        drafts[conversation.id] = Draft(composer: Composer(draft))
      }
    }
    if case .requests? = panel?.kind {
      let rows = requestRows
      panel?.show(rows)
    }
    if let open, conversation(open.id) == nil, !isFirst, !open.isNew {
      tell("the conversation is gone")
      close()
    }
    considerReading()
  }

  private mutating func take(page: [ShownMessage], of id: String, before: Int64?, hasOlder: Bool) {
    guard var open, open.id == id else { return }
    open.isLoading = false
    if before == nil {
      open.messages = page
      open.hasOlder = hasOlder
      open.hasNewer = false
      let unread = conversation(id)?.unread ?? 0
      if open.firstUnread == nil, unread > 0 {
        open.firstUnread = page.filter { !$0.isOutgoing && $0.kind != .note }.suffix(unread).first?.id
      }
      self.open = open
      if let first = open.firstUnread, open.anchor == nil { show(atTop: first) }
    } else if before == open.messages.first?.id || open.messages.isEmpty {
      open.prepend(page, hasOlder: hasOlder && !page.isEmpty)
      self.open = open
    } else {
      // The messages before which it belongs have changed: it is loaded again.
      self.open = open
    }
    considerReading()
  }
}

extension OpenConversation {
  /// True for a conversation without messages, which the list does not have yet.
  var isNew: Bool { messages.isEmpty }
}
