import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let draftSet = Command(
    name: "draft set",
    summary: "write the draft of a conversation",
    discussion: """
      Replaces the draft that is there. The arguments after the conversation are the text; without any, and without files,
      it is read from standard input. Files are copied now. 'session send CHAT --draft' sends it; other messages leave it
      alone, except those of 'session chat' and 'session ui', which show it. Drafts are of this device alone.
      """,
    arguments: [
      .chat,
      .init(
        name: "TEXT", summary: "the text; read from standard input by default", isOptional: true,
        isRepeated: true),
    ],
    options: [
      .init(name: "attach", value: "FILE", summary: "a file of the draft; 32 at most", isRepeated: true),
      .init(
        name: "caption", value: "TEXT",
        summary: "caption of a file; the first caption belongs to the first file", isRepeated: true),
      .init(name: "reply-to", value: "ID", summary: "the number of the message that it answers"),
      .init(name: "add", summary: "add the text below the draft that is there, and keep its files"), .account,
    ],
    examples: [
      .init(line: "session draft set bob Maybe on Friday", summary: "write a draft"),
      .init(line: "session draft set bob --attach plan.pdf The plan", summary: "write a draft with a file"),
    ],
    rpc: .method(.send)
  ) { invocation, io in
    let files = try invocation.captionedFiles(io)
    // Over RPC a draft without a text is deleted.
    let words = try invocation.text(io, mayBeMissing: io.served != nil || !files.isEmpty)
    guard !invocation.has("add") else {
      guard files.isEmpty, invocation["reply-to"] == nil else {
        throw invocation.misuse("--add adds a text alone: --attach and --reply-to write the draft anew")
      }
      try await invocation.editing(io) { messenger in
        let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
        try await messenger.addToDraft(words, in: chat)
      }
      return CommandOutput()
    }
    let content = DraftContent(
      words, answering: try invocation.messageNumber("reply-to"), files: files)
    try await invocation.editing(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      try await messenger.setDraft(content, in: chat)
    }
    return CommandOutput()
  }

  static let draftShow = Command(
    name: "draft show",
    summary: "show the draft of a conversation",
    arguments: [.chat],
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      guard let draft = try await messenger.draft(of: chat) else {
        throw CommandFailure.data("this conversation has no draft", advice: "'session draft set' writes one.")
      }
      guard !invocation.has("json") else { return CommandOutput(json: draft.json) }
      var parts: [CommandOutput.Part] = []
      if let id = draft.answering { parts.append(.heading("replies to #\(id.rawValue)\n")) }
      parts += [.indented(DisplayText.lines(draft.body)), .text("\n")]
      for file in draft.attachments {
        let name = DisplayText.line(file.name ?? file.contentType)
        parts.append(.text("[\(name)]  (\(ByteCount.text(file.size)))\n"))
      }
      return CommandOutput(data: parts)
    }
  }

  static let draftList = Command(
    name: "draft list",
    summary: "list drafts, newest first",
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let drafts = try await messenger.drafts()
      guard !invocation.has("json") else { return CommandOutput(lines: drafts.map(\.json)) }
      guard !drafts.isEmpty else { return CommandOutput(notes: ["No drafts."]) }
      let directory = try await Directory(of: messenger, showing: drafts.map(\.conversation))
      let rows = drafts.map { draft in
        [
          LocalTime.text(draft.updatedAt), directory.name(draft.conversation),
          draft.attachments.isEmpty ? "" : "\(draft.attachments.count)",
          DisplayText.line(String(draft.body.prefix(60))),
        ]
      }
      return CommandOutput(data: TextTable(head: ["date", "to", "files", "text"], rows: rows).parts)
    }
  }

  static let draftClear = Command(
    name: "draft clear",
    summary: "delete the draft of a conversation, with its files",
    arguments: [.chat],
    options: [.account],
    rpc: .method(.send)
  ) { invocation, io in
    try await invocation.editing(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      try await messenger.setDraft(DraftContent(""), in: chat)
    }
    return CommandOutput()
  }
}

extension Draft {
  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "conversation": .string(conversation.description), "text": .string(body),
      "updated_at": .time(updatedAt),
    ]
    object["reply_to"] = answering.map { .integer(UInt64(clamping: $0.rawValue)) }
    guard !attachments.isEmpty else { return object }
    object["files"] = .objects(
      attachments.map { file in
        var object: JSONObject = [
          "content_type": .string(file.contentType), "size": .integer(UInt64(clamping: file.size)),
        ]
        object["name"] = file.name.map { .string($0) }
        object["caption"] = file.caption.map { .string($0) }
        return object
      })
    return object
  }
}
