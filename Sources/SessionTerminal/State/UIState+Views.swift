extension UIState {
  // MARK: - Scheduled messages

  /// Has what is in the composer be sent at a time.
  mutating func sendLater(_ when: String) {
    guard let open, draft.editing == nil, !draft.composer.isEmpty || !draft.files.isEmpty else { return }
    let draft = draft
    guard mayBeSent(draft.composer.text) else { return }
    // The stored draft ends once the message is scheduled: until then it is the only copy that stays.
    if draftOf == open.id { saveDraft() }
    if typingToldAt.take() != nil { effects.append(.typing(conversation: open.id, false)) }
    effects.append(
      .schedule(
        conversation: open.id, text: draft.composer.text, answering: draft.answering?.id,
        files: draft.files, when: when))
    drafts[open.id] = Draft()
  }

  mutating func askWhenToSend() {
    guard open != nil, draft.editing == nil, !draft.composer.isEmpty || !draft.files.isEmpty else {
      return tell("write a message first")
    }
    guard mayBeSent(draft.composer.text) else { return }
    openPrompt(.sendingLater, title: "send at", hint: "07:30, 2026-12-24 18:00 or 2h")
  }

  mutating func openScheduled() {
    panel = Panel(.scheduled, title: "scheduled messages", hint: "…")
    effects.append(.scheduled)
  }

  mutating func take(_ messages: [ListedScheduled]) {
    guard case .scheduled? = panel?.kind else { return }
    panel?.hint = Self.chooseHint
    panel?.show(
      messages.map { message in
        Panel.Row(
          left: "\(message.name): \(message.text)", right: message.state ?? message.when,
          choice: .scheduled(message.id), style: message.state == nil ? Style() : Style(.dim))
      })
    if messages.isEmpty {
      panel?.rows = [.init(left: "no scheduled messages", choice: .nothing, style: Style(.dim))]
    }
  }

  // MARK: - Files

  mutating func openMedia(of id: String) {
    panel = Panel(.media(id), title: "files", hint: "…")
    effects.append(.media(conversation: id))
  }

  mutating func take(_ files: [ListedFile], of id: String) {
    guard case .media(id)? = panel?.kind else { return }
    panel?.hint = "Enter go there   Esc close"
    panel?.show(
      files.map { file in
        Panel.Row(left: file.name, right: file.detail, choice: .message(conversation: id, file.message))
      })
    if files.isEmpty { panel?.rows = [.init(left: "no files", choice: .nothing, style: Style(.dim))] }
  }

  // MARK: - Safety numbers

  mutating func openSafety(of id: String) {
    guard conversation(id)?.kind == .person || conversation(id) == nil && id.hasPrefix("05") else {
      return tell("numbers are compared with one person")
    }
    panel = Panel(.safety(id), title: "safety number", hint: "…")
    effects.append(.safetyNumber(conversation: id))
  }

  mutating func take(_ numbers: SafetyNumbers, of id: String) {
    guard case .safety(id)? = panel?.kind else { return }
    panel?.title = "safety number with \(numbers.name)" + (numbers.isVerified ? ", verified" : "")
    panel?.hint = Self.chooseHint
    var rows = [
      Panel.Row(left: "Compare it by telephone or in person, not here.", choice: .nothing, style: Style(.dim))
    ]
    for digits in numbers.digits {
      rows += Self.groups(of: digits).map { .init(left: "  " + $0, choice: .nothing, style: Style(.accent)) }
      rows.append(
        .init(left: "both see these digits", choice: .effect(.verify(conversation: id, digits: digits))))
    }
    if numbers.digits.isEmpty {
      rows.append(.init(left: "no device of theirs is known yet", choice: .nothing, style: Style(.dim)))
    }
    rows.append(.init(left: "cancel", choice: .nothing))
    panel?.show(rows)
    // What says that they were compared is not chosen at first.
    panel?.cursor = rows.count - 1
  }

  /// Digits in groups of five, four of them on a line.
  private static func groups(of digits: String) -> [String] {
    let groups = stride(from: 0, to: digits.count, by: 5).map { String(digits.dropFirst($0).prefix(5)) }
    return stride(from: 0, to: groups.count, by: 4).map { start in
      groups[start..<min(start + 4, groups.count)].joined(separator: " ")
    }
  }
}
