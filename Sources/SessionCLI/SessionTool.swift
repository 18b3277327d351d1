import Glibc
import SessionBase
import SessionCore

/// The `session` program, as a library.
public enum SessionTool {
  public static let version = "0.1.0"

  /// Runs one command line (without the program's own name) and says how the process should end.
  ///
  /// Standard output gets the command's data, and only when the command succeeded; all else goes to standard
  /// error.
  public static func run(_ words: [String], io: CommandIO) async -> ExitCode {
    do {
      let invocation = try invocation(from: words)
      let io = try invocation.command.needsSettings ? io.withSettings() : (try? io.withSettings()) ?? io
      let output = try await invocation.command.run(invocation, io)
      try write(output, to: io)
      return output.status
    } catch {
      let failure = CommandFailure(error)
      // `session … | head` is no mistake of anybody's.
      guard failure.status != .readerGone else { return failure.status }
      for line in failure.lines(asJSON: isForProgram(words)) { io.tell(line) }
      return failure.status
    }
  }

  /// True if the words ask for JSON, even if the command line has other errors.
  private static func isForProgram(_ words: [String]) -> Bool {
    let takesJSON = CommandTable.session.command(calledBy: words)?.options.contains { $0.name == "json" }
    return takesJSON == true && words.prefix { $0 != "--" }.contains("--json")
  }

  /// The command of the words; `--help` after a command shows its help, `--version` works alone.
  static func invocation(
    from words: [String], table: CommandTable = .session
  ) throws(CommandFailure) -> Invocation {
    switch words.first {
    case nil:
      throw .usage(
        "a command is missing",
        advice: "'session help start' shows the first steps, 'session help' lists the commands.")
    case "--version":
      return try Invocation(of: .version, from: Array(words.dropFirst()))
    default:
      break
    }
    let options = words.prefix { $0 != "--" }
    if options.contains(where: { $0 == "--help" || $0 == "-h" }) {
      return try Invocation(of: .help, from: options.prefix { !$0.hasPrefix("-") })
    }
    guard let command = table.command(calledBy: words) else { throw unknownCommand(words, in: table) }
    return try Invocation(of: command, from: Array(words.dropFirst(command.words.count)))
  }

  /// The failure for words that call nothing.
  static func unknownCommand(_ words: [String], in table: CommandTable) -> CommandFailure {
    let group = table.commands(under: words.prefix(1))
    guard group.isEmpty else {
      let names = group.map(\.name).joined(separator: ", ")
      let what =
        words.count == 1 ? "'\(words[0])' needs one more word" : "unknown command '\(words[0]) \(words[1])'"
      return .usage(what, advice: "Available: \(names)")
    }
    let nearest = table.commands.first { command in
      nearestName(to: words.prefix(command.words.count).joined(separator: " "), among: [command.name]) != nil
    }
    let hint = nearest.map { "; did you mean '\($0.name)'?" } ?? ""
    return .usage("unknown command '\(words[0])'\(hint)", advice: "'session help' lists the commands.")
  }

  /// Writes what a command gave back.
  static func write(_ output: CommandOutput, to io: CommandIO) throws(SessionError) {
    let columns = io.isTerminal ? io.outputColumns() : nil
    for part in columns.map({ output.wrapped(to: $0) }) ?? output.data {
      switch part {
      case .text(let text), .indented(let text):
        try io.write(Array(text.utf8).span)
      case .heading(let text):
        try io.write(Array((io.hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text).utf8).span)
      case .bytes(let bytes):
        try io.write(bytes.span)
      case .secret(let text):
        try text.withUTF8 { (bytes) throws(SessionError) in try io.write(bytes) }
      }
    }
    for note in output.notes { io.tell(note) }
  }
}

extension SessionTool {
  /// The program itself: runs the command line of this process and gives its exit status.
  public static func main() async -> Int32 {
    // A reader that went away shows as an error of the write.
    signal(SIGPIPE, SIG_IGN)
    LineEditor.useLocale()
    let io = CommandIO.system()
    do {
      return await run(try words(), io: io).rawValue
    } catch {
      for line in error.lines(asJSON: isForProgram(Array(CommandLine.arguments.dropFirst()))) {
        io.tell(line)
      }
      return error.status.rawValue
    }
  }

  /// The command line of this process, without the program's own name. Swift would put another character in the place of
  /// each byte that belongs to no text.
  private static func words() throws(CommandFailure) -> [String] {
    var words: [String] = []
    for index in 1..<max(Int(CommandLine.argc), 1) {
      guard let argument = CommandLine.unsafeArgv[index] else { break }
      guard let word = String(validatingCString: argument) else {
        throw .data(
          "argument \(index) is not UTF-8: \(DisplayText.line(CommandLine.arguments[index]))",
          advice:
            "'locale' shows the encoding of the terminal. 'session send TO < FILE' reads a text from a file.")
      }
      words.append(word)
    }
    return words
  }
}
