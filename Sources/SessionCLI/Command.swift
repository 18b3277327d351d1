import SessionDaemon

/// A command as data: the parser, the help texts and whatever else describes it derive from this.
struct Command: Sendable {
  /// The words that call it: `account new`.
  let name: String
  /// A summary in the imperative, without a full stop.
  let summary: String
  /// Details for users, in whole sentences.
  var discussion: String? = nil
  var arguments: [Argument] = []
  var options: [Option] = []
  var examples: [Example] = []
  /// True if it needs valid settings; commands that explain or repair settings work without them.
  var needsSettings = true
  /// True if its JSON output is only an object of type "done".
  var isOnlyDone = false
  /// How programs call it over JSON-RPC.
  let rpc: Calling
  let run: @Sendable (Invocation, CommandIO) async throws -> CommandOutput

  struct Argument: Sendable {
    /// As in the help: `FILE`, or `FILE|-` if `-` means standard input.
    let name: String
    /// The name of the parameter over JSON-RPC, where it differs.
    var parameter: String? = nil
    let summary: String
    var isOptional = false
    /// True if it takes several words; only the last argument may.
    var isRepeated = false
  }

  struct Option: Sendable {
    /// Without the dashes.
    let name: String
    /// The name of its value in the help; nil for a flag.
    var value: String? = nil
    let summary: String
    var isRequired = false
    /// True if it may be given several times.
    var isRepeated = false
  }

  struct Example: Sendable {
    let line: String
    let summary: String
  }

  /// Whether a command is a method of JSON-RPC, and what a client needs to call it.
  enum Calling: Hashable, Sendable {
    /// A method that uses the account as the server has it open.
    case method(RPCScope)
    /// A method that opens the account's folder itself, as the command does while the daemon runs.
    case beside(RPCScope)
    /// A method that works on the account's folder while the server has the account closed.
    case alone(RPCScope)
    /// Likewise, where secrets come with the call instead of a person who types them.
    case secret(RPCScope)
    case none(Reason)

    /// Why a command is no method.
    enum Reason: Sendable {
      /// It works on files and texts of its own, without an account.
      case isLocal
      /// It writes files for a person, under names of its own.
      case writesFiles
      /// It concerns the settings of a person.
      case isPersonal
      /// It is a client itself.
      case isClient
      /// Servers, and the daemon, are controlled in other ways.
      case isServer
      /// It works with the keys of an account, which no method tells.
      case needsKeys
      /// A method that does not derive from it does the same.
      case hasOwnMethod
    }
  }
}

extension Command.Option {
  /// `--from FILE`
  var synopsis: String { "--" + name + (value.map { " " + $0 } ?? "") }

  /// The synopsis, with dots if it may be repeated.
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
