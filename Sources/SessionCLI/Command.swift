/// A command as data: the parser, the help texts and whatever else describes it derive from this.
struct Command: Sendable {
  /// The words that call it: `account new`.
  let name: String
  /// What it does, in the imperative, without a full stop.
  let summary: String
  /// What a person should know before using it; whole sentences.
  var discussion: String? = nil
  var arguments: [Argument] = []
  var options: [Option] = []
  var examples: [Example] = []
  /// Whether it can only be done as a person set it; what explains and mends settings works without them.
  var needsSettings = true
  /// Whether it has nothing to tell programs but that it was done.
  var isOnlyDone = false
  let run: @Sendable (Invocation, CommandIO) async throws -> CommandOutput

  struct Argument: Sendable {
    /// As the help shows it: `FILE`, or `FILE|-` where `-` stands for standard input.
    let name: String
    let summary: String
    var isOptional = false
    /// Whether it stands for several words; only the last argument does.
    var isRepeated = false
  }

  struct Option: Sendable {
    /// Without the dashes.
    let name: String
    /// What stands for its value in the help, as with an argument; a flag has none.
    var value: String? = nil
    let summary: String
    var isRequired = false
    /// Whether it may be given several times.
    var isRepeated = false
  }

  struct Example: Sendable {
    let line: String
    let summary: String
  }
}

extension Command.Option {
  /// `--from FILE`
  var synopsis: String { "--" + name + (value.map { " " + $0 } ?? "") }

  /// The same, with what tells that it may be repeated.
  var label: String { synopsis + (isRepeated ? "..." : "") }
}

extension Command {
  var words: [String] { name.split(separator: " ").map(String.init) }

  /// One line that shows how the command is called.
  var usage: String { usageParts.joined(separator: " ") }

  /// The parts of that line that belong together.
  var usageParts: [String] {
    let required = options.filter(\.isRequired).map(\.synopsis)
    let positional = arguments.map { argument in
      let name = argument.name + (argument.isRepeated ? "..." : "")
      return argument.isOptional ? "[\(name)]" : name
    }
    let optional = options.filter { !$0.isRequired }.map { "[\($0.synopsis)]" + ($0.isRepeated ? "..." : "") }
    return ["session \(name)"] + positional + required + optional
  }
}
