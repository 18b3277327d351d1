extension UIState {
  static let chooseHint = "Enter choose   Esc close"

  mutating func openPrompt(_ kind: Panel.Kind, title: String, hint: String) {
    panel = Panel(kind, title: title, input: Composer(), hint: "\(hint)   Enter do   Esc close")
  }

  // MARK: - Keys

  mutating func takeInPanel(_ key: Key) {
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("c"), .control): panel = nil
    case (.up, []): panel?.move(-1)
    case (.down, []): panel?.move(1)
    case (.pageUp, []): panel?.move(-10)
    case (.pageDown, []): panel?.move(10)
    case (.enter, []): choose()
    case (.character("a"), []) where panel?.kind == .network: showsWholeAddresses.toggle()
    case (.character("r"), []) where panel?.kind == .network: effects.append(.network)
    default:
      if let action = keys.action(of: key, in: .everywhere), [.redraw, .suspend, .leave].contains(action) {
        return perform(action)
      }
      guard panel?.input?.take(key) == true else { return }
      inputChanged()
    }
  }

  /// What the line of a panel finds.
  mutating func inputChanged() {
    guard let panel, let text = panel.input?.text else { return }
    switch panel.kind {
    case .palette:
      let rows = paletteRows(text)
      self.panel?.show(rows)
      self.panel?.cursor = 0
    case .search(let place):
      found = place == nil ? nil : text
      guard !text.split(separator: " ").isEmpty else {
        self.panel?.show([])
        return
      }
      effects.append(.search(text, in: place))
    case .reactions:
      self.panel?.show(EmojiNames.rows(matching: text))
      self.panel?.cursor = 0
    default: break
    }
  }

  // MARK: - Choosing

  private mutating func choose() {
    guard let panel else { return }
    if let text = panel.input?.text, submit(text, panel.kind) { return }
    guard let choice = panel.chosen else { return }
    switch choice {
    case .nothing: if case .help = panel.kind {} else { self.panel = nil }
    case .action(let action):
      self.panel = nil
      perform(action)
    case .conversation(let id): openConversation(id)
    case .message(let conversation, let id):
      self.panel = nil
      openConversation(conversation)
      jump(to: id)
    case .effect(let effect):
      self.panel = nil
      effects.append(effect)
    case .emoji(let emoji):
      self.panel = nil
      guard case .reactions(let id) = panel.kind else { return }
      let isThere =
        open?.messages.first { $0.id == id }?.reactions.contains { $0.emoji == emoji && $0.isOwn } ?? false
      effects.append(.react(id, emoji: emoji, isWanted: !isThere))
    case .request(let id): ask(.request(id))
    case .person(let person): if case .members(let id) = panel.kind { ask(.member(id, person)) }
    case .setting(let name, let value): effects += [.set(name, value), .settings]
    case .file(let id):
      if let file = open?.messages.flatMap(\.files).first(where: { $0.id == id }) { save(file) }
    case .scheduled(let id): ask(.scheduled(id))
    case .insert(let text):
      self.panel = nil
      write {
        $0.insert(text)
        return true
      }
    }
  }

  /// Takes the typed line of a prompt; false for panels in which a row is chosen.
  private mutating func submit(_ text: String, _ kind: Panel.Kind) -> Bool {
    let line = text.split(separator: "\n").joined(separator: " ")
    let id = open?.id ?? ""
    switch kind {
    case .saving(let file):
      if !line.isEmpty { effects.append(.save(file: file, path: line)) }
    case .attaching:
      guard draft.files.count < Draft.maxFiles else {
        tell("a message has at most \(Draft.maxFiles) files", isFailure: true)
        break
      }
      if !line.isEmpty { drafts[id, default: Draft()].files.append(line) }
    case .timer:
      guard let seconds = Self.seconds(line) else {
        tell("write a time such as 5m, 12h, 1d or 2w, or off", isFailure: true)
        return true
      }
      effects.append(.timer(conversation: id, seconds: seconds == 0 ? nil : seconds))
    case .sendingLater: if !line.isEmpty { sendLater(line) }
    case .renaming: effects.append(.rename(conversation: id, line))
    case .inviting: if !line.isEmpty { effects.append(.invite(conversation: id, who: line)) }
    case .beginning: if !line.isEmpty { effects.append(.begin(with: line)) }
    default: return false
    }
    panel = nil
    return true
  }

  /// The seconds of a time such as `5m`; 0 for `off`. Nil for anything else, and for more than two weeks.
  static func seconds(_ text: String) -> UInt32? {
    if text == "off" { return 0 }
    let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = text.last.flatMap({ units[$0] }), let number = UInt32(text.dropLast()), number > 0 else {
      return nil
    }
    let (seconds, isTooMuch) = number.multipliedReportingOverflow(by: unit)
    return isTooMuch || seconds > 1_209_600 ? nil : seconds
  }

  // MARK: - Questions

  mutating func ask(_ question: Panel.Question) {
    var rows: [Panel.Row] = []
    let title: String
    switch question {
    case .delete(let id, let isOwn):
      title = "delete this message?"
      rows.append(.init(left: "on this device", choice: .effect(.delete(id, forEveryone: false))))
      if isOwn { rows.append(.init(left: "for everyone", choice: .effect(.delete(id, forEveryone: true)))) }
    case .leaveGroup(let id):
      title = "leave, and delete what is here?"
      rows.append(.init(left: "leave", choice: .effect(.leave(conversation: id))))
    case .block(let id, let isBlocked):
      title = isBlocked ? "unblock this contact?" : "block this contact?"
      rows.append(
        .init(left: isBlocked ? "unblock" : "block", choice: .effect(.block(conversation: id, !isBlocked))))
    case .scheduled(let id):
      title = "this scheduled message"
      rows = [
        .init(left: "send it now", choice: .effect(.sendScheduled(id))),
        .init(left: "delete it", choice: .effect(.cancelScheduled(id))),
      ]
    case .join(let link):
      title = "join this room?"
      rows.append(.init(left: "join", choice: .effect(.begin(with: link))))
    case .request(let id):
      title = "answer the request"
      rows = [
        .init(left: "read it", choice: .conversation(id)),
        .init(left: "accept", choice: .effect(.answer(request: id, .accept))),
        .init(left: "decline", choice: .effect(.answer(request: id, .decline))),
        .init(left: "decline and block", choice: .effect(.answer(request: id, .block))),
      ]
    case .member(let id, let person):
      title = person.name
      rows.append(.init(left: "write to them", choice: .effect(.begin(with: person.id))))
      if conversation(id)?.isAdmin == true, conversation(id)?.kind == .group {
        rows += [
          .init(
            left: "make an admin; this cannot be undone",
            choice: .effect(.promote(conversation: id, person: person.id))),
          .init(left: "remove from the group", choice: .effect(.remove(conversation: id, person: person.id))),
        ]
      }
    }
    rows.append(.init(left: "cancel", choice: .nothing))
    panel = Panel(.question(question), title: title, rows: rows, hint: Self.chooseHint)
    // What cannot be undone is not chosen at first.
    if case .request = question {} else if case .member = question {} else { panel?.cursor = rows.count - 1 }
  }

  /// Asks whether to join the room of a link, or shows more of it while the question stands.
  mutating func offer(_ link: String, _ lines: [String], isMore: Bool) {
    let standing = panel.flatMap { $0.kind == .question(.join(link)) ? $0 : nil }
    guard standing != nil || !isMore else { return }
    let fromEnd = standing.map { $0.rows.count - $0.cursor } ?? 1
    ask(.join(link))
    guard var asking = panel else { return }
    asking.rows.insert(
      contentsOf: lines.map { .init(left: $0, choice: .nothing, style: Style(.other)) }, at: 0)
    asking.cursor = max(asking.rows.count - fromEnd, 0)
    panel = asking
  }

  // MARK: - Lists

  mutating func openPalette() {
    panel = Panel(
      .palette, title: "go to or do", input: Composer(), rows: paletteRows(""), hint: Self.chooseHint)
  }

  private func paletteRows(_ text: String) -> [Panel.Row] {
    let wanted = text.lowercased().split(separator: " ")
    func fits(_ name: String) -> Bool {
      let name = name.lowercased()
      return wanted.allSatisfy { name.contains($0) }
    }
    let found = (conversations + requests).filter { fits($0.name) }.prefix(100).map { conversation in
      Panel.Row(
        left: conversation.name, right: conversation.isUnread ? "\(conversation.unread)" : "",
        choice: .conversation(conversation.id), style: Style(.other))
    }
    let actions = UIAction.allCases.filter { $0 != .palette && fits($0.title) }.map { action in
      Panel.Row(left: action.title, right: keys.name(of: action), choice: .action(action))
    }
    // Without a word the actions are what is looked for.
    return wanted.isEmpty ? actions + found : Array(found) + actions
  }

  mutating func openHelp() {
    let parts: [(String, UIAction.Context)] = [
      ("everywhere", .everywhere), ("in the list", .list), ("on a message", .messages),
      ("while writing", .composer),
    ]
    var rows: [Panel.Row] = []
    for (title, context) in parts {
      rows.append(.init(left: title, choice: .nothing, style: Style(.accent)))
      rows += keys.entries(in: context).map { .init(left: "  " + $0.title, right: $0.keys, choice: .nothing) }
    }
    panel = Panel(.help, title: "keys", rows: rows, hint: "Esc close")
  }

  var requestRows: [Panel.Row] {
    requests.map { request in
      Panel.Row(
        left: "\(request.name): \(request.last?.text ?? "")", right: request.shortID,
        choice: .request(request.id))
    }
  }

  mutating func openRequests() {
    panel = Panel(.requests, title: "message requests", rows: requestRows, hint: Self.chooseHint)
    if requests.isEmpty {
      panel?.rows = [.init(left: "no message requests", choice: .nothing, style: Style(.dim))]
    }
  }

  mutating func openSearch(inOpen: Bool) {
    let place = inOpen ? open?.id : nil
    panel = Panel(
      .search(in: place), title: place == nil ? "search everywhere" : "search here", input: Composer(),
      hint: "Enter go there   Esc close")
  }

  mutating func take(_ hits: [SearchHit], of query: String, in place: String?) {
    guard case .search(place)? = panel?.kind, panel?.input?.text == query else { return }
    panel?.show(
      hits.map { hit in
        let text = hit.message.text.split(separator: "\n").first.map(String.init) ?? ""
        return Panel.Row(
          left: (place == nil ? "\(hit.name): " : "") + text,
          right: calendar.short(hit.message.sentAt, now: now),
          choice: .message(conversation: hit.conversation, hit.message.id))
      })
    panel?.cursor = 0
    if hits.isEmpty { panel?.rows = [.init(left: "nothing was found", choice: .nothing, style: Style(.dim))] }
  }

  mutating func openReactions(to message: ShownMessage) {
    panel = Panel(
      .reactions(of: message.id), title: "react", input: Composer(), rows: EmojiNames.rows(matching: ""),
      hint: Self.chooseHint)
  }

  mutating func take(_ people: [ListedPerson], of id: String) {
    guard case .members(id)? = panel?.kind else { return }
    panel?.title = "\(people.count) members"
    panel?.hint = Self.chooseHint
    panel?.show(people.map { .init(left: $0.name, right: $0.role, choice: .person($0)) })
  }

  mutating func openSettings() {
    panel = Panel(.settings, title: "settings of \(account)", hint: "Enter change   Esc close")
    effects.append(.settings)
  }

  mutating func take(_ settings: [ListedSetting]) {
    guard case .settings? = panel?.kind else { return }
    panel?.show(
      settings.map { setting in
        let word = setting.value.map { $0 ? "on" : "off" } ?? "undecided"
        return .init(
          left: "\(setting.name): \(setting.summary)", right: word,
          choice: .setting(setting.name, !(setting.value ?? false)))
      })
  }

  mutating func openNetwork() {
    panel = Panel(.network, title: "network", hint: "a addresses   r again   Esc close")
    effects.append(.network)
  }

  /// The details of the selected message, or of the conversation.
  mutating func openDetails() {
    guard let open else { return tell("open a conversation first") }
    let rows = DetailLines.of(open.selected, openConversation, calendar, now: now)
    panel = Panel(
      .help, title: open.selection == nil ? "conversation" : "message",
      rows: rows.map { .init(left: $0.name, right: $0.value, choice: .nothing) }, hint: "Esc close")
  }
}
