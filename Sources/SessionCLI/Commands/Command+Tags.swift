import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let tagAdd = Command(
    name: "tag add",
    summary: "give tags to a conversation",
    discussion: """
      Tags are for you: they stay on this device, and travel in archives. A tag that is new is made; there may be 64, and 16
      of a conversation. 'session chats --tag' and 'session search --tag' show what has a tag. The names unread, requests,
      groups, rooms and muted mean such conversations without any tag.
      """,
    arguments: [.chat, .init(name: "TAG", summary: "the name of a tag", isRepeated: true)],
    options: [.account],
    examples: [.init(line: "session tag add bob work berlin", summary: "give two tags to a conversation")],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.editing(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      try await messenger.addTags(Array(invocation.arguments.dropFirst()), to: chat)
    }
    return CommandOutput()
  }

  static let tagRemove = Command(
    name: "tag remove",
    summary: "take tags from a conversation",
    arguments: [.chat, .init(name: "TAG", summary: "the name of a tag", isRepeated: true)],
    options: [.account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.editing(io) { messenger in
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      try await messenger.removeTags(Array(invocation.arguments.dropFirst()), from: chat)
    }
    return CommandOutput()
  }

  static let tagList = Command(
    name: "tag list",
    summary: "list tags, and how many conversations have them",
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    let tags = try await invocation.reading(io) { messenger in try await messenger.tags() }
    guard !invocation.has("json") else { return CommandOutput(lines: tags.map(\.json)) }
    guard !tags.isEmpty else { return CommandOutput(notes: ["No tags."]) }
    let rows = tags.map { [DisplayText.line($0.name), $0.emoji ?? "", "\($0.conversations.count)"] }
    return CommandOutput(data: TextTable(head: ["tag", "", "conversations"], rows: rows).parts)
  }

  static let tagRename = Command(
    name: "tag rename",
    summary: "give a tag another name",
    arguments: [
      .init(name: "OLD", summary: "the name of a tag"), .init(name: "NEW", summary: "its new name"),
    ],
    options: [
      .init(name: "emoji", value: "EMOJI", summary: "an emoji that is shown with it; none to take it away"),
      .account,
    ],
    examples: [.init(line: "session tag rename work office --emoji 🏢", summary: "rename a tag")],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.editing(io) { messenger in
      try await messenger.renameTag(
        invocation.arguments[0], to: invocation.arguments[1],
        emoji: invocation["emoji"].map { $0 == "none" ? "" : $0 })
    }
    return CommandOutput()
  }

  static let tagDelete = Command(
    name: "tag delete",
    summary: "delete a tag; its conversations stay",
    arguments: [.init(name: "TAG", summary: "the name of a tag")],
    options: [.account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.editing(io) { messenger in try await messenger.deleteTag(invocation.arguments[0]) }
    return CommandOutput()
  }
}

extension Command.Option {
  static let tagFilter = Self(
    name: "tag", value: "TAG",
    summary: "only conversations with this tag, or unread, requests, groups, rooms or muted ones")
}

extension Invocation {
  /// The conversations that `--tag` means; nil if it was not given.
  func tagged(_ messenger: Messenger) async throws -> Set<Conversation.ID>? {
    guard let name = self["tag"] else { return nil }
    return try await messenger.conversations(tagged: name)
  }
}

extension Tag {
  /// For programs.
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("tag"), "name": .string(name),
      "conversations": .strings(conversations.map(\.description)),
    ]
    object["emoji"] = emoji.map { .string($0) }
    return object
  }
}
