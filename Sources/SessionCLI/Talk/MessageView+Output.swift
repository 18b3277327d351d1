import SessionCore
import SessionMessaging
import SessionNetworking

extension MessageView {
  /// For programs.
  func json(_ directory: Directory, isFull: Bool = false) -> JSONObject {
    var object: JSONObject = [
      "type": .string("message"), "id": .integer(UInt64(clamping: id.rawValue)),
      "conversation": .string(conversation.description), "chat": .string(conversation.description),
      "from": .string(author.description),
      "from_name": .string(directory.name(author)), "outgoing": .boolean(isOutgoing),
      "kind": .string(kind.word),
      "body": .string(isFull ? fullBody : body), "sent_at": .time(sentAt), "state": .string(state.word),
      "read": .boolean(isRead),
      "mentions_me": .boolean(mentionsUs),
    ]
    let isTruncated = isTruncated && !isFull
    object["truncated"] = isTruncated ? .boolean(true) : nil
    object["characters"] = isTruncated ? .integer(UInt64(fullBody.unicodeScalars.count)) : nil
    object["failure"] = (state.failure ?? changeFailure).map { .string($0) }
    object["from_role"] = directory.role(of: author, in: conversation).map { .string($0.rawValue) }
    object["edited_at"] = editedAt.map { .time($0) }
    object["whisper"] = whisper.map { .string($0.text) }
    object["read_by_recipient_at"] = readByRecipientAt.map { .time($0) }
    object["disappears_at"] = disappearsAt.map { .time($0) }
    object["timer"] = timer.map { .object($0.json) }
    object["reply_to"] = quoted.map { .object($0.json) }
    object["link"] = link.map { .object($0.json) }
    if !attachments.isEmpty { object["attachments"] = .objects(numberedAttachments.map(\.json)) }
    if !reactions.isEmpty { object["reactions"] = .objects(reactions.map(\.json)) }
    object["level"] = level.map { .string($0.name) }
    if waitsForKeys { object["waits_for"] = .string("keys") }
    if isFromHeldDevice { object["held_device"] = .boolean(true) }
    if case .note(.security(let change, _)) = kind { object["change"] = .string(change.rawValue) }
    return object
  }

  /// For eyes: a line with author and time, and the text below it. `namesGroup` adds the group to the author.
  func parts(
    _ directory: Directory, showsSending: Bool = true, isFull: Bool = false, namesGroup: Bool = false
  ) -> [CommandOutput.Part] {
    let place = namesGroup && conversation.isGroup ? " in \(directory.name(conversation))" : ""
    let role = directory.role(of: author, in: conversation).map { " (\($0.rawValue))" } ?? ""
    var head = "\(LocalTime.text(sentAt))  #\(id.rawValue)"
    let mark = state == .sending && !showsSending ? nil : state.mark
    if let mark = mark ?? (readByRecipientAt == nil ? nil : "read") { head += "  (\(mark))" }
    if disappearsAt != nil { head += "  (disappears)" }
    if editedAt != nil { head += "  (edited)" }
    if waitsForKeys { head += "  (waits for keys)" }
    if isFromHeldDevice { head += "  (from a device that nothing vouches for)" }
    if let whisper { head += "  (\(whisper.mark(directory)))" }
    if let changeFailure { head += "  (not changed: \(DisplayText.line(changeFailure)))" }
    var lines: [String] = []
    if let quoted {
      let text =
        quoted.body.map { DisplayText.fitted(DisplayText.line($0), to: 60) }
        ?? "a message that is not on this device"
      lines.append("> \(directory.name(quoted.author)): \(text)")
    }
    if attachments.isEmpty || !body.isEmpty || kind != .message {
      let text = isFull ? DisplayText.lines(fullBody) : shownText(directory)
      lines += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    if isTruncated, !isFull {
      let rest = fullBody.unicodeScalars.count - body.unicodeScalars.count
      lines.append("… (\(rest) more characters: session show \(conversation) --full \(id.rawValue))")
    }
    lines += numberedAttachments.map(\.text)
    if let link, let title = link.title { lines.append("[\(DisplayText.line(title))]") }
    if !reactions.isEmpty {
      let shown = reactions.map { reaction in
        let others = reaction.others > 0 ? " and \(reaction.others) more" : ""
        return "\(DisplayText.line(reaction.emoji)) \(directory.name(reaction.author))\(others)"
      }
      lines.append(shown.joined(separator: ", "))
    }
    return [
      .heading(directory.name(author) + role + place),
      .indented("  \(head)\n" + lines.map { "  \($0)\n" }.joined()),
    ]
  }

  /// Its line in a list of conversations.
  func briefText(_ directory: Directory) -> String {
    guard kind == .message, body.isEmpty, let first = attachments.first else {
      return DisplayText.line(shownText(directory))
    }
    let more = attachments.count > 1 ? " and \(attachments.count - 1) more" : ""
    return "[\(DisplayText.line(first.name ?? "file"))\(more)]"
  }

  /// The author as a prefix for lists; empty outside groups, and for notes, which name people themselves.
  func authorInGroup(_ directory: Directory) -> String {
    guard conversation.isGroup else { return "" }
    if case .note = kind { return "" }
    return "\(directory.name(author)): "
  }

  /// Its text, or a description of its content.
  func shownText(_ directory: Directory) -> String {
    switch kind {
    case .message: DisplayText.lines(body)
    case .deleted, .deletedHere: "(deleted)"
    case .note(let note): "(\(text(of: note, directory)))"
    }
  }
}

extension DisappearingTimer {
  /// As `session timer` takes it, and for eyes.
  var words: String {
    let span = TimeSpan(seconds: Int64(seconds)).text
    return switch mode {
    case .afterRead: "messages disappear \(span) after they were read"
    case .afterSend, .unspecified: "messages disappear \(span) after they were sent"
    }
  }

  var json: JSONObject {
    JSONObject(members: [
      ("mode", .string(mode == .afterRead ? "after-read" : "after-send")),
      ("seconds", .integer(UInt64(seconds))),
    ])
  }
}

extension JSONObject.Value {
  /// Milliseconds since 1970.
  static func time(_ milliseconds: Int64) -> Self { .integer(UInt64(clamping: milliseconds)) }
}

extension MessageView.Kind {
  fileprivate var word: String {
    switch self {
    case .message: "message"
    case .deleted: "deleted"
    case .deletedHere: "deleted-here"
    case .note(.requestAccepted): "request-accepted"
    case .note(.timerChanged): "timer-changed"
    case .note(.mediaSaved): "media-saved"
    case .note(.missedCall): "missed-call"
    case .note(.leavingFailed): "leaving-failed"
    case .note(.leaving): "leaving"
    case .note(.invited): "invited"
    case .note(.renamed): "renamed"
    case .note(.pictureChanged): "picture-changed"
    case .note(.members): "members-changed"
    case .note(.roomRestarted): "room-restarted"
    case .note(.security): "security"
    case .note(.unknown): "note"
    }
  }
}

extension MessageView.State {
  fileprivate var word: String {
    switch self {
    case .received: "received"
    case .sending: "sending"
    case .sent: "sent"
    case .failed: "failed"
    case .unsynced: "unsynced"
    }
  }

  var failure: String? {
    switch self {
    case .failed(let why), .unsynced(let why): why
    case .received, .sending, .sent: nil
    }
  }

  /// For eyes; nil for what goes without saying.
  fileprivate var mark: String? {
    switch self {
    case .received, .sent: nil
    case .sending: "sending"
    case .failed(let why): "not sent: \(why)"
    case .unsynced(let why): "not on your other devices: \(why)"
    }
  }
}

extension MessageView.Whisper {
  /// For programs.
  fileprivate var text: String {
    switch self {
    case .moderators: "moderators"
    case .person(let id): id.description
    }
  }

  /// For eyes.
  fileprivate func mark(_ directory: Directory) -> String {
    switch self {
    case .moderators: "whispered to the moderators"
    case .person(let id): "whispered to \(directory.name(id))"
    }
  }
}

extension MessageView.Quoted {
  fileprivate var json: JSONObject {
    var object = JSONObject(members: [("from", .string(author.description)), ("sent_at", .time(sentAt))])
    object["id"] = message.map { .integer(UInt64(clamping: $0.rawValue)) }
    object["body"] = body.map { .string($0) }
    return object
  }
}

extension MessageView.Link {
  fileprivate var json: JSONObject {
    var object = JSONObject(members: [("url", .string(url))])
    object["title"] = title.map { .string($0) }
    return object
  }
}

extension MessageView.Reaction {
  fileprivate var json: JSONObject {
    var object = JSONObject(members: [("emoji", .string(emoji)), ("from", .string(author.description))])
    if others > 0 { object["others"] = .integer(UInt64(others)) }
    return object
  }
}
