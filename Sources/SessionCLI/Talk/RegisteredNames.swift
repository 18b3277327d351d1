import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import Synchronization

/// Names that people registered in the network, as words of commands: `ons:alice`. The prefix keeps a slip in a contact's
/// name from reaching a stranger.
final class RegisteredNames: Sendable {
  private static let prefix = "ons:"

  private let known: Mutex<[String: SessionID]>

  /// Knows some names already.
  init(knowing known: [String: SessionID] = [:]) { self.known = Mutex(known) }

  /// The name of a word; nil for any other word.
  static func name(in word: String) -> String? {
    guard word.lowercased().hasPrefix(prefix) else { return nil }
    return String(word.dropFirst(prefix.count)).lowercased()
  }

  /// The account of a name that was resolved.
  func account(of name: String) -> SessionID? { known.withLock { $0[name] } }

  /// Resolves the names among some words, and tells whose they are.
  func resolve(_ words: [String], _ messenger: Messenger, tell: @Sendable (String) -> Void) async throws {
    for name in Set(words.compactMap { Self.name(in: $0) }).sorted() where account(of: name) == nil {
      let id: SessionID?
      do {
        id = try await messenger.account(named: name)
      } catch let error as SessionError {
        throw CommandFailure(error, subject: Self.prefix + DisplayText.line(name))
      }
      guard let id else {
        throw CommandFailure(
          status: .noUser, message: "no one has registered the name '\(DisplayText.line(name))'",
          advice: "Ask the person for the account id.")
      }
      known.withLock { $0[name] = id }
      tell("\(Self.prefix)\(name) is \(id)")
    }
  }
}

extension Command {
  static let netName = Command(
    name: "net name",
    summary: "look up a registered name in the network",
    discussion: """
      Prints the account id of a name that somebody registered (ONS). Three nodes have to agree. Commands take 'ons:NAME'
      wherever they take a person or a conversation. A name can get another owner, an id cannot: once the person is a
      contact, use a nickname. The nodes learn which name was looked up, but not who asks. Private networks have no names.
      """,
    arguments: [.init(name: "NAME", summary: "letters, digits, _ and inner -, in any case")],
    options: [.timeout, .account, .json],
    examples: [.init(line: "session net name alice", summary: "print the account id of a name")],
    rpc: .method(.read)
  ) { invocation, io in
    let word = invocation.arguments[0]
    let name = RegisteredNames.name(in: word) ?? word
    return try await invocation.working(io) { opened in
      let timeout = try invocation.timeout()
      let found = try await withinTime(timeout) { try await opened.messenger.account(named: name) }
      guard let answer = found else {
        throw CommandFailure(status: .temporary, message: "the network did not reply in time")
      }
      guard let id = answer else {
        throw CommandFailure(
          status: .noUser, message: "no one has registered the name '\(DisplayText.line(name))'")
      }
      guard invocation.has("json") else { return CommandOutput(text: "\(id)\n") }
      return CommandOutput(json: [
        "type": .string("registered-name"), "name": .string(name.lowercased()), "id": .string(id.description),
      ])
    }
  }
}

extension JSONForm {
  static let registeredName = JSONForm(
    name: "registered name", summary: "a name that somebody registered in the network",
    commands: ["net name"],
    members: [
      .type("registered-name"), .required("name", .text, "the name, in lower case"),
      .required("id", .text, "the account id of its owner"),
    ])
}

extension Invocation {
  /// Arguments and values of options that stand for people and conversations.
  private static let people: Set<String> = ["TO", "CHAT", "ID|CHAT", "PERSON", "MEMBER", "WHO"]

  /// The words of the command that are registered names of people.
  private var registeredNames: [String] {
    let last = command.arguments.count - 1
    let words = arguments.enumerated().filter { index, _ in
      last >= 0 && Self.people.contains(command.arguments[min(index, last)].name)
    }.map(\.element)
    let values = command.options.filter { Self.people.contains($0.value ?? "") }.flatMap { all($0.name) }
    return (words + values).filter { RegisteredNames.name(in: $0) != nil }
  }

  /// True if the network has to be asked who is meant.
  var needsNetworkForNames: Bool { !registeredNames.isEmpty }

  /// Resolves the registered names among the words.
  func resolveNames(_ messenger: Messenger, _ io: CommandIO) async throws {
    let words = registeredNames
    guard !words.isEmpty else { return }
    let timeout = try timeout()
    let isDone: Void? = try await withinTime(timeout) {
      try await io.names.resolve(words, messenger) { io.tell($0) }
    }
    guard isDone != nil else {
      throw CommandFailure(
        status: .temporary, message: "the network did not say in time whose the name is",
        advice: "Run the command again, or give the account id.")
    }
  }
}
