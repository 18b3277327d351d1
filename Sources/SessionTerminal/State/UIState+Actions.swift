extension UIState {
  /// Carries out an action, wherever it was asked for.
  mutating func perform(_ action: UIAction) {
    switch action {
    case .palette: openPalette()
    case .help: openHelp()
    case .redraw: effects.append(.redraw)
    case .suspend: effects.append(.suspend)
    case .leave:
      saveDraft()
      effects.append(.leaveProgram)
    case .clear: clear()
    case .back: back()
    case .nextRegion: changeRegion(by: 1)
    case .previousRegion: changeRegion(by: -1)
    case .nextConversation: step(1) { _ in true }
    case .previousConversation: step(-1) { _ in true }
    case .nextUnread: step(1, among: \.isUnread)
    case .previousUnread: step(-1, among: \.isUnread)
    case .lastConversation: if let lastOpen, conversation(lastOpen) != nil { openConversation(lastOpen) }
    case .pageUp: focus == .list ? moveInList(-pageRows / 2) : scroll(rows: pageRows)
    case .pageDown: focus == .list ? moveInList(pageRows / 2) : scroll(rows: -pageRows)
    case .lineUp: scroll(rows: 1)
    case .lineDown: scroll(rows: -1)
    case .top: goToOldest()
    case .bottom:
      goToNewest()
      if focus == .messages { focus = .composer }
    case .unreadFirst:
      listsUnreadFirst.toggle()
      reorder()
      tell(listsUnreadFirst ? "unread conversations first" : "by time")
    case .filter:
      let all = Filter.allCases
      filter = all[((all.firstIndex(of: filter) ?? 0) + 1) % all.count]
      listCursor = listed.first?.id
    case .narrow:
      focus = .list
      narrowing = Composer()
    case .details:
      if ScreenLayout(self)?.details == nil, size.columns < 120 {
        openDetails()
      } else {
        showsDetails.toggle()
      }
    case .listWider: listWidth = min(listWidth + 2, ScreenLayout.listWidths.upperBound)
    case .listNarrower: listWidth = max(listWidth - 2, ScreenLayout.listWidths.lowerBound)
    case .requests: openRequests()
    case .settings: openSettings()
    case .network: openNetwork()
    case .begin:
      openPrompt(.beginning, title: "start a conversation", hint: "an id, a name, or a room's address")
    case .find, .searchAll: openSearch(inOpen: action == .find)
    case .send: send()
    case .sendLater: askWhenToSend()
    case .scheduled: openScheduled()
    default: performInConversation(action)
    }
  }

  private mutating func clear() {
    guard focus != .composer || draft.composer.isEmpty else {
      return write {
        $0.clear()
        return true
      }
    }
    guard leavingUntil == nil else { return perform(.leave) }
    leavingUntil = now + Self.leavePause
    tell("press \(keys.name(of: .clear)) again to leave")
  }

  private mutating func back() {
    switch focus {
    case .messages:
      open?.selection = nil
      focus = .composer
    case .composer:
      found = nil
      focus = .list
    case .list: filter = .all
    }
  }

  private mutating func changeRegion(by step: Int) {
    guard open != nil else {
      focus = .list
      return
    }
    let regions: [Focus] =
      open?.messages.isEmpty == false ? [.list, .messages, .composer] : [.list, .composer]
    let place = regions.firstIndex(of: focus) ?? 0
    let next = regions[(place + step + regions.count) % regions.count]
    if next == .messages { return moveSelection(-1) }
    open?.selection = nil
    focus = next
  }

  /// Goes to the next conversation that fits, around the end of the list.
  private mutating func step(_ step: Int, among fits: (ListedConversation) -> Bool) {
    let listed = listed
    guard !listed.isEmpty else { return }
    let start = listed.firstIndex { $0.id == (open?.id ?? listCursor) } ?? (step > 0 ? listed.count - 1 : 0)
    for distance in 1...listed.count {
      let place = ((start + step * distance) % listed.count + listed.count) % listed.count
      guard fits(listed[place]), listed[place].id != open?.id else { continue }
      return openConversation(listed[place].id)
    }
    tell("no other conversation of that kind")
  }

  // MARK: - In a conversation

  private mutating func performInConversation(_ action: UIAction) {
    // In the list, the conversation under the cursor is meant.
    if focus == .list, [.mute, .pin, .hide].contains(action), let id = listCursor {
      return change(id, action)
    }
    guard let open else { return tell("open a conversation first") }
    switch action {
    case .newLine:
      write {
        $0.insert("\n")
        return true
      }
    case .attach: openPrompt(.attaching, title: "send a file", hint: "its path")
    case .externalEditor: effects.append(.editText(draft.composer.text))
    case .jumpBack: jumpBack()
    case .markRead:
      effects.append(.markRead(conversation: open.id, upTo: nil))
      self.open?.readUpTo = open.messages.last?.id
    case .markUnread: effects.append(.markUnread(conversation: open.id))
    case .mute, .pin, .hide: change(open.id, action)
    case .timer: openPrompt(.timer, title: "messages disappear after", hint: "5m, 12h, 1d, 2w or off")
    case .members:
      panel = Panel(.members(open.id), title: "members", hint: "…")
      effects.append(.people(conversation: open.id))
    case .invite: openPrompt(.inviting, title: "invite to the group", hint: "a contact's name or id")
    case .rename: openPrompt(.renaming, title: "new name", hint: "empty for none")
    case .block: ask(.block(open.id, isBlocked: openConversation?.isBlocked ?? false))
    case .leaveGroup: ask(.leaveGroup(open.id))
    case .media: openMedia(of: open.id)
    case .verify: openSafety(of: open.id)
    default: performOnMessage(action)
    }
  }

  private mutating func change(_ id: String, _ action: UIAction) {
    guard let listed = conversation(id) else { return }
    switch action {
    case .mute: effects.append(.mute(conversation: id, seconds: listed.isMuted ? 0 : nil))
    case .pin: effects.append(.pin(conversation: id, !listed.isPinned))
    default:
      effects.append(.hide(conversation: id, true))
      if open?.id == id { close() }
    }
  }

  private mutating func performOnMessage(_ action: UIAction) {
    guard let open,
      let message = open.selected ?? (action == .save || action == .fetch ? open.messages.last : nil)
    else {
      return tell("select a message first: Up in an empty composer")
    }
    switch action {
    case .reply:
      drafts[open.id, default: Draft()].answering = message
      startWriting()
    case .quote:
      let quoted = message.text.split(separator: "\n", omittingEmptySubsequences: false).map { "> \($0)\n" }
        .joined()
      startWriting()
      write {
        $0.insert(quoted)
        return true
      }
    case .edit:
      guard message.isOutgoing, openConversation?.kind == .room else {
        return tell("only own messages in rooms can be edited", isFailure: true)
      }
      saveDraft()
      drafts[open.id] = draft.editing(message.id, message.text)
      startWriting()
    case .react: openReactions(to: message)
    case .delete: ask(.delete(message.id, isOwn: message.isOutgoing || openConversation?.isAdmin == true))
    case .resend:
      guard case .failed = message.state else { return tell("this message has not failed") }
      effects.append(.resend(message.id))
    case .jumpToQuote:
      guard let quote = message.quote else { return saveFiles(of: message) }
      guard let id = quote.id else { return tell("the quoted message is not on this device") }
      jump(to: id)
    case .unfold:
      if open.unfolded.contains(message.id) {
        self.open?.unfolded.remove(message.id)
      } else {
        self.open?.unfolded.insert(message.id)
      }
    case .save: saveFiles(of: message)
    case .fetch:
      let absent = message.files.filter { $0.state == .remote || $0.state == .failed }
      guard !absent.isEmpty else { return tell("no file of this message has to be downloaded") }
      for file in absent { effects.append(.fetch(file: file.id)) }
    default: break
    }
  }

  private mutating func startWriting() {
    open?.selection = nil
    focus = .composer
  }

  mutating func saveFiles(of message: ShownMessage) {
    guard let first = message.files.first else { return tell("this message has no files") }
    guard message.files.count > 1 else { return save(first) }
    panel = Panel(
      .files(message.files.map(\.id)), title: "save which file?",
      rows: message.files.map { .init(left: $0.name, right: $0.size, choice: .file($0.id)) },
      hint: "Enter choose   Esc close")
  }

  mutating func save(_ file: ShownMessage.File) {
    guard file.state == .here else {
      effects.append(.fetch(file: file.id))
      panel = nil
      return tell("downloading; save it when it is here")
    }
    panel = Panel(
      .saving(file: file.id), title: "save as", input: Composer(file.name), hint: "Enter save   Esc close")
  }

  /// False, with the reason on the screen, if the open conversation takes no such text.
  mutating func mayBeSent(_ text: String) -> Bool {
    if let warning = openConversation?.warning, openConversation?.isBlocked == true {
      tell(warning, isFailure: true)
      return false
    }
    guard text.count <= maxCharacters else {
      tell("\(text.count - maxCharacters) characters too many", isFailure: true)
      return false
    }
    return true
  }

  private mutating func send() {
    guard let open else { return }
    let draft = draft
    let text = draft.composer.text
    guard !draft.composer.isEmpty || !draft.files.isEmpty else { return }
    guard mayBeSent(text) else { return }
    typingToldAt = nil
    if let editing = draft.editing {
      effects.append(.edit(conversation: open.id, editing, text: text))
      drafts[open.id] = draft.unsent
    } else {
      effects.append(
        .send(conversation: open.id, text: text, answering: draft.answering?.id, files: draft.files))
      // An empty one, so that the list does not bring the sent text back.
      drafts[open.id] = Draft()
      // Sending deletes the draft in its own transaction.
      (draftAt, draftOf) = (nil, nil)
    }
    self.open?.firstUnread = nil
    if !open.isAtEnd { goToNewest() }
  }
}
