import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let chats = Command(
    name: "chats",
    summary: "list conversations",
    discussion: "Shows what is on this machine; 'session receive' fetches what is new.",
    options: [
      .init(name: "hidden", summary: "list hidden conversations"), .tagFilter,
      .account,
      .json,
    ],
    examples: [
      .init(
        line: "session chats --json | jq -r 'select(.unread > 0) | .name'",
        summary: "list conversations with unread messages")
    ],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let tagged = try await invocation.tagged(messenger)
      let hidden = try await messenger.hiddenConversations().filter { tagged?.contains($0.id) ?? true }
      let shown = try await messenger.conversations().filter { tagged?.contains($0.id) ?? true }
      if tagged != nil, !invocation.has("hidden") {
        // A filter shows all that it means: also what is hidden, or asks to talk.
        let requests = try await messenger.requests().filter { tagged?.contains($0.id) ?? true }
        let all = shown + hidden + requests
        let directory = try await Directory(of: messenger, showing: all.map(\.id))
        return invocation.list(all, directory, none: "No such conversations.")
      }
      let listed = invocation.has("hidden") ? hidden : shown
      let directory = try await Directory(of: messenger, showing: listed.map(\.id))
      guard !invocation.has("hidden") else {
        return invocation.list(hidden, directory, none: "No hidden conversations.")
      }
      var output = invocation.list(listed, directory, none: "No conversations yet.")
      guard !invocation.has("json") else { return output }
      if !hidden.isEmpty {
        let what = hidden.count == 1 ? "One conversation is" : "\(hidden.count) conversations are"
        let which = hidden.count == 1 ? "it" : "them"
        output.notes.append("\(what) hidden: 'session chats --hidden' lists \(which).")
      }
      let requests = try await messenger.requests().count
      if requests > 0 {
        let who = requests == 1 ? "One person asks" : "\(requests) people ask"
        output.notes.append("\(who) to talk: 'session requests list' shows who.")
      }
      return output
    }
  }

  static let show = Command(
    name: "show",
    summary: "show messages of a conversation",
    arguments: [.chat],
    options: [
      .init(name: "before", value: "ID", summary: "show only messages before this one"),
      .init(name: "limit", value: "N", summary: "how many, at most 500; 20 by default"),
      .init(name: "full", value: "ID", summary: "show only this message, with its full text"),
      .account, .json,
    ],
    examples: [
      .init(line: "session show alice", summary: "show the newest messages, newest last"),
      .init(line: "session show alice --limit 100 --json | jq -r .body", summary: "print only their texts"),
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let limit = try invocation.limit(20)
    let before = try invocation.messageNumber("before")
    let full = try invocation.messageNumber("full")
    return try await invocation.reading(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      let directory = try await Directory(of: messenger, showing: [chat])
      if let full {
        guard let message = try await messenger.message(full), message.conversation == chat else {
          throw CommandFailure.data(
            "message \(full.rawValue) is not in this conversation",
            advice: "'session show' shows the numbers of messages.")
        }
        guard !invocation.has("json") else {
          return CommandOutput(json: message.json(directory, isFull: true))
        }
        return CommandOutput(data: message.parts(directory, isFull: true))
      }
      let messages = try await messenger.messages(in: chat, before: before, limit: limit)
      var output = invocation.output(of: messages.reversed(), directory, none: "No messages.")
      if io.served != nil, let oldest = messages.last?.id {
        output.hasMore = try await !messenger.messages(in: chat, before: oldest, limit: 1).isEmpty
        output.next = output.hasMore ? oldest.rawValue : nil
      }
      if !invocation.has("json"), let timer = try await messenger.conversation(chat)?.timer {
        output.notes.append(timer.words)
      }
      if !invocation.has("json"), let state = try await messenger.group(chat)?.stateLine {
        output.notes.append(state)
      }
      return output
    }
  }

  static let search = Command(
    name: "search",
    summary: "search messages",
    arguments: [
      .init(name: "WORDS", summary: "words to find; the last one may be incomplete", isRepeated: true)
    ],
    options: [
      .init(name: "in", value: "CHAT", summary: "search only this conversation"), .tagFilter,
      .init(name: "from", value: "WHO", summary: "only messages of this person; 'me' for your own"),
      .init(
        name: "since", value: "DATE", summary: "only messages from this day or time on: 2026-03-01 [14:05]"),
      .init(name: "until", value: "DATE", summary: "only messages before this day or time"),
      .init(name: "before", value: "N", summary: "continue behind this 'next' of an earlier result"),
      .init(name: "limit", value: "N", summary: "how many, at most 500; 20 by default"),
      .account, .json,
    ],
    examples: [
      .init(line: "session search train tick", summary: "find 'the train tickets', newest first"),
      .init(
        line: "session search --from alice --since 2026-03-01 tickets",
        summary: "find what Alice wrote since March"),
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let limit = try invocation.limit(20)
    let place = try invocation.messageNumber("before")?.rawValue
    let (since, until) = (try invocation.moment("since"), try invocation.moment("until"))
    return try await invocation.reading(io) { messenger in
      let known = try await Directory(of: messenger)
      let chat = try invocation["in"].map { try known.conversation($0, io) }
      var filter = MessageSearchFilter(
        author: try invocation["from"].map { try known.person($0, io) }, since: since ?? .min, until: until)
      filter.conversations = try await invocation.tagged(messenger)
      let page = try await messenger.search(
        invocation.arguments.joined(separator: " "), in: chat, filter: filter,
        after: place.map { .ending(at: $0) },
        limit: limit)
      let directory = try await Directory(of: messenger, showing: page.messages.map(\.conversation))
      var output = invocation.output(
        of: page.messages, directory, none: "Nothing was found.", namesGroup: chat == nil)
      output.hasMore = page.hasMore
      output.next = page.next
      return output
    }
  }

  static let read = Command(
    name: "read",
    summary: "mark a conversation, or all of them, as read",
    arguments: [
      .init(
        name: "CHAT", parameter: "chat", summary: "the conversation; see 'session help names'",
        isOptional: true)
    ],
    options: [
      .init(name: "up-to", value: "ID", summary: "up to this message; all of it by default"),
      .init(name: "all", summary: "mark all conversations as read, and print how many were unread"),
      .init(name: "kind", value: "people|groups|rooms", summary: "with --all, only these"),
      .tagFilter,
      .init(name: "requests", summary: "with --all, message requests, too"), .timeout,
      .account,
    ],
    rpc: .method(.send)
  ) { invocation, io in
    let last = try invocation.messageNumber("up-to")
    guard invocation.has("all") != !invocation.arguments.isEmpty else {
      throw invocation.misuse("name a conversation, or give --all")
    }
    guard !invocation.has("all") else {
      guard last == nil else { throw invocation.misuse("--up-to is for one conversation") }
      let kinds = try invocation.readKinds()
      return try await invocation.changing(io) { messenger in
        var views = try await messenger.conversations()
        if invocation.has("requests") { views += try await messenger.requests() }
        if let tagged = try await invocation.tagged(messenger) {
          views.removeAll { !tagged.contains($0.id) }
        }
        let unread = views.filter {
          kinds.contains($0.kind) && ($0.unreadMessages > 0 || $0.isMarkedUnread)
        }
        try await messenger.markRead(unread.map(\.id))
        return CommandOutput(text: "\(unread.count)\n")
      }
    }
    guard invocation["kind"] == nil, invocation["tag"] == nil, !invocation.has("requests") else {
      throw invocation.misuse("--kind, --tag and --requests need --all")
    }
    return try await invocation.changing(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      try await messenger.markRead(chat, upTo: last)
      return CommandOutput()
    }
  }

  static let timer = Command(
    name: "timer",
    summary: "set disappearing messages",
    discussion: """
      Messages that you send from now on, from any of your devices, disappear on both sides when the timer ends. The timer
      starts when a message is sent, or when the recipient reads it. The other side sets the timer of its own messages.
      In a group an admin sets it for everyone, and it starts when a message is sent.
      'session show' and 'session chats --json' show the current timer.
      """,
    arguments: [
      .chat,
      .init(
        name: "off|after-send|after-read", parameter: "mode", summary: "when the timer starts, or off"),
      .init(
        name: "TIME", summary: "a number with its unit, such as 5m, 12h, 1d or 2w; 2w at most",
        isOptional: true),
    ],
    options: [.timeout, .account],
    examples: [
      .init(
        line: "session timer alice after-read 1h",
        summary: "let messages disappear an hour after they are read"),
      .init(line: "session timer alice off", summary: "turn disappearing messages off"),
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let timer = try invocation.timer()
    return try await invocation.changing(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      try await messenger.setTimer(timer, in: chat)
      return CommandOutput()
    }
  }
}

extension Command.Argument {
  static let chat = Self(
    name: "CHAT",
    summary:
      "an id, a nickname, the name of a contact or group, or 'me'; see 'session help names'"
  )
}

extension Invocation {
  /// The kinds of conversation that `read --all` is about.
  fileprivate func readKinds() throws(CommandFailure) -> Set<ConversationView.Kind> {
    switch self["kind"] {
    case nil: return [.noteToSelf, .person, .group, .community]
    case "people": return [.noteToSelf, .person]
    case "groups": return [.group]
    case "rooms": return [.community]
    default: throw misuse("--kind is people, groups or rooms")
    }
  }

  /// The value of `--limit`.
  func limit(_ usual: Int) throws(CommandFailure) -> Int {
    guard let text = self["limit"] else { return usual }
    guard let limit = Int(text), 1...Messenger.maxPage ~= limit else {
      throw misuse("--limit is a number, 1 to \(Messenger.maxPage)")
    }
    return limit
  }

  /// The requested list of conversations.
  func list(
    _ conversations: [ConversationView], _ directory: Directory, none: String
  ) -> CommandOutput {
    guard !has("json") else { return CommandOutput(lines: conversations.map { $0.json(directory) }) }
    guard !conversations.isEmpty else { return CommandOutput(notes: [none]) }
    let table = TextTable(head: ConversationView.columns, rows: conversations.map { $0.row(directory) })
    return CommandOutput(data: table.parts)
  }

  /// The requested list of messages.
  fileprivate func output(
    of messages: [MessageView], _ directory: Directory, none: String, namesGroup: Bool = false
  ) -> CommandOutput {
    guard !has("json") else { return CommandOutput(lines: messages.map { $0.json(directory) }) }
    guard !messages.isEmpty else { return CommandOutput(notes: [none]) }
    return CommandOutput(data: messages.flatMap { $0.parts(directory, namesGroup: namesGroup) })
  }

  fileprivate func timer() throws -> DisappearingTimer? {
    let mode: DisappearingTimer.Mode
    switch arguments[1] {
    case "off":
      guard arguments.count == 2 else { throw misuse("'off' takes no TIME") }
      return nil
    case "after-send": mode = .afterSend
    case "after-read": mode = .afterRead
    default: throw misuse("'\(arguments[1])' is not off, after-send or after-read")
    }
    guard arguments.count == 3 else { throw misuse("TIME is missing, such as 1d") }
    return try DisappearingTimer(mode, seconds: timerSeconds(arguments[2]))
  }

  /// The seconds after which messages disappear.
  func timerSeconds(_ text: String) throws(CommandFailure) -> UInt32 {
    guard text.last?.isLetter == true, let span = TimeSpan(text), span.seconds > 0,
      let seconds = UInt32(exactly: span.seconds)
    else {
      throw misuse("'\(text)' is not a time: write a number with its unit, such as 5m, 12h, 1d or 2w")
    }
    guard seconds <= TimerText.longest else {
      throw misuse("'\(text)' is longer than the network stores messages: 2w at most")
    }
    return seconds
  }
}
