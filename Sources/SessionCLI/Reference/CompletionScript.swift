import SessionService

/// A completion script for a shell, made from the command table.
struct CompletionScript {
  let table: CommandTable

  /// The kinds of values and arguments.
  enum Place: Hashable {
    case files
    case choices([String])
    /// The words of a command, or the name of a topic.
    case commands
    /// The lists of local names that `session completion` prints.
    case listed(Listed)
    /// Free text, which cannot be completed.
    case anything

    /// Names that change, which a script gets from the program.
    enum Listed: String, CaseIterable {
      case accounts
      case people
      case groups
      /// People and groups.
      case chats
    }

    /// By the name that the help shows: `FILE|-`, `legacy|stream`, `ID`.
    init(_ name: String) {
      let parts = name.split(separator: "|").map(String.init)
      self =
        if name == "COMMAND" {
          .commands
        } else if parts[0] == "ACCOUNT" {
          .listed(.accounts)
        } else if ["TO", "CHAT"].contains(name) {
          .listed(.chats)
        } else if name == "PERSON" {
          .listed(.people)
        } else if name == "SETTING" {
          .choices(AccountSetting.all.map(\.name))
        } else if name == "CONFIG" {
          .choices(UserSettings.keys.map(\.name))
        } else if name == "METHOD" {
          .choices(MethodDescription.all.map(\.name))
        } else if name == "GROUP" {
          .listed(.groups)
        } else if parts.contains(where: { $0.hasSuffix("FILE") }) {
          .files
        } else if parts.count > 1, parts.allSatisfy({ $0 == $0.lowercased() }) {
          .choices(parts)
        } else {
          .anything
        }
    }
  }

  /// The beginnings of commands that call none yet: nothing, and `account`.
  var beginnings: [[String]] {
    var beginnings: [[String]] = []
    for command in table.commands {
      for count in command.words.indices {
        let beginning = Array(command.words.prefix(count))
        if !beginnings.contains(beginning), table.command(exactly: beginning) == nil {
          beginnings.append(beginning)
        }
      }
    }
    return beginnings
  }

  /// The words that may follow, each with its purpose.
  func words(after beginning: [String]) -> [(word: String, summary: String)] {
    var words: [(word: String, summary: String)] = []
    for command in table.commands(under: beginning) {
      let word = command.words[beginning.count]
      guard !words.contains(where: { $0.word == word }) else { continue }
      let called = beginning + [word]
      let behind = table.commands(under: called).map {
        $0.words.dropFirst(called.count).joined(separator: " ")
      }
      words.append((word, table.command(exactly: called)?.summary ?? behind.joined(separator: ", ")))
    }
    return words
  }

  /// The topics of 'session help'.
  var topics: [Topic] { table.topics }

  /// Every beginning of a command but the empty one, and every command.
  var calls: [[String]] { beginnings.filter { !$0.isEmpty } + table.commands.map(\.words) }

  /// The key of a command in the shell's code: its words, each after a space.
  static func key(_ words: [String]) -> String { words.map { " " + $0 }.joined() }

  /// In single quotes, for any of the shells.
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

extension CommandTable {
  fileprivate func command(exactly words: [String]) -> Command? { commands.first { $0.words == words } }
}

extension Command {
  /// The kind of its first argument; nil if it takes none.
  var firstPlace: CompletionScript.Place? { arguments.first.map { .init($0.name) } }
}
