import SessionBase
import SessionMessaging

/// A line of a chat: a text to send, or a command, which begins with a slash.
enum ChatCommand: Hashable, Sendable {
  case text(String)
  case reply(MessageView.ID, String)
  case attach(String)
  case react(MessageView.ID, String)
  case unreact(MessageView.ID, String)
  case delete(MessageView.ID, isForEveryone: Bool)
  case resend(MessageView.ID)
  case more
  case help
  case quit

  /// A command in the output of `/help`.
  struct Entry: Sendable {
    let name: String
    let arguments: String
    let summary: String
    fileprivate let make: @Sendable (Words) throws(CommandFailure) -> ChatCommand

    var synopsis: String { "/" + name + (arguments.isEmpty ? "" : " " + arguments) }
  }

  static let entries: [Entry] = [
    Entry(name: "reply", arguments: "ID TEXT", summary: "answer a message") { words throws(CommandFailure) in
      .reply(try words.number(), try words.rest())
    },
    Entry(name: "attach", arguments: "FILE", summary: "send a file or a picture") {
      words throws(CommandFailure) in .attach(try words.all())
    },
    Entry(name: "react", arguments: "ID EMOJI", summary: "put an emoji to a message") {
      words throws(CommandFailure) in .react(try words.number(), try words.rest())
    },
    Entry(name: "unreact", arguments: "ID EMOJI", summary: "remove the reaction") {
      words throws(CommandFailure) in
      .unreact(try words.number(), try words.rest())
    },
    Entry(name: "delete", arguments: "ID", summary: "delete a message on this device") {
      words throws(CommandFailure) in .delete(try words.number(), isForEveryone: false)
    },
    Entry(name: "unsend", arguments: "ID", summary: "delete a message for everyone") {
      words throws(CommandFailure) in .delete(try words.number(), isForEveryone: true)
    },
    Entry(name: "resend", arguments: "ID", summary: "resend a failed message") {
      words throws(CommandFailure) in .resend(try words.number())
    },
    Entry(name: "more", arguments: "", summary: "show what was said before") { _ in .more },
    Entry(name: "help", arguments: "", summary: "this list; a text that begins with / is written with //") {
      _ in .help
    },
    Entry(name: "quit", arguments: "", summary: "leave, as Ctrl-D does") { _ in .quit },
  ]

  init(_ line: String) throws(CommandFailure) {
    guard line.hasPrefix("/") else {
      self = .text(line)
      return
    }
    guard !line.hasPrefix("//") else {
      self = .text(String(line.dropFirst()))
      return
    }
    let parts = line.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
    let name = parts.first ?? ""
    guard let entry = Self.entries.first(where: { $0.name == name }) else {
      let hint = nearestName(to: name, among: Self.entries.map(\.name)).map { "; did you mean /\($0)?" } ?? ""
      throw .usage("there is no command /\(name)\(hint)", advice: "/help lists the commands.")
    }
    self = try entry.make(Words(entry: entry, text: parts.dropFirst().first ?? ""))
  }

  /// The text after the name of a command.
  fileprivate struct Words: Sendable {
    let entry: Entry
    let text: String

    private var parts: [String] { text.split(separator: " ", maxSplits: 1).map(String.init) }

    private var misuse: CommandFailure {
      .usage("/\(entry.name): wrong arguments", advice: "Usage: \(entry.synopsis)")
    }

    func number() throws(CommandFailure) -> MessageView.ID {
      guard let id = parts.first.flatMap(Invocation.messageNumber) else { throw misuse }
      return id
    }

    /// All of it, spaces among them.
    func all() throws(CommandFailure) -> String {
      let all = text.trimmingPrefix { $0 == " " }
      guard !all.isEmpty else { throw misuse }
      return String(all)
    }

    /// The text after the number.
    func rest() throws(CommandFailure) -> String {
      guard parts.count == 2 else { throw misuse }
      return parts[1]
    }
  }
}
