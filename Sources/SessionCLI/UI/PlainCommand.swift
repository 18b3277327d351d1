import SessionBase

/// A line of the plain interface: a command of it, or one of a chat.
enum PlainCommand: Sendable {
  case list
  case go(String)
  case unread
  case requests
  case search(String)
  case who
  case path
  case place
  case help
  case chat(ChatCommand)

  /// A command in the output of `/help`, beside those of chats.
  struct Entry: Sendable {
    let name: String
    let arguments: String
    let summary: String
    fileprivate let make: @Sendable (String) throws(CommandFailure) -> PlainCommand

    var synopsis: String { "/" + name + (arguments.isEmpty ? "" : " " + arguments) }
  }

  static let entries: [Entry] = [
    Entry(name: "list", arguments: "", summary: "list conversations, with numbers") { _ in .list },
    Entry(
      name: "go", arguments: "NAME|N", summary: "open a conversation, by name or by its number in the list"
    ) {
      words throws(CommandFailure) in
      guard !words.isEmpty else { throw .usage("/go: wrong arguments", advice: "Usage: /go NAME|N") }
      return .go(words)
    },
    Entry(name: "unread", arguments: "", summary: "list unread conversations") { _ in .unread },
    Entry(name: "requests", arguments: "", summary: "list message requests") { _ in .requests },
    Entry(name: "search", arguments: "WORDS", summary: "search messages") { words throws(CommandFailure) in
      guard !words.isEmpty else { throw .usage("/search: wrong arguments", advice: "Usage: /search WORDS") }
      return .search(words)
    },
    Entry(name: "who", arguments: "", summary: "list the members of this group") { _ in .who },
    Entry(name: "path", arguments: "", summary: "show the paths of requests through the network") { _ in .path
    },
    Entry(name: "where", arguments: "", summary: "say which conversation is open") { _ in .place },
    Entry(name: "help", arguments: "", summary: "this list") { _ in .help },
  ]

  init(_ line: String) throws(CommandFailure) {
    let parts = line.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
    guard line.hasPrefix("/"), let entry = Self.entries.first(where: { $0.name == parts.first }) else {
      self = .chat(try ChatCommand(line))
      return
    }
    self = try entry.make(parts.dropFirst().first ?? "")
  }
}
