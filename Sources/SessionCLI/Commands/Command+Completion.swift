import SessionMessaging
import SessionStorage

extension Command {
  static let completion = Command(
    name: "completion",
    summary: "print a completion script for a shell",
    discussion: """
      A script completes commands, options, files, help topics, and the names of accounts, people and groups.
      'make install' puts the scripts where the shells find them. Without it, bash and zsh read them with source, and fish
      as below.

      'accounts', 'people', 'groups' and 'chats' list the names that a script completes, one per line.
      """,
    arguments: [
      .init(
        name: "bash|zsh|fish|accounts|people|groups|chats", summary: "the shell, or the names to list")
    ],
    options: [.account],
    examples: [
      .init(
        line: "source <(session completion bash)",
        summary: "complete in this shell; in ~/.bashrc, in every shell"),
      .init(
        line: "session completion fish > ~/.config/fish/completions/session.fish", summary: "complete in fish"
      ),
    ],
    needsSettings: false,
    rpc: .none(.isLocal)
  ) { invocation, io in
    let script = CompletionScript(table: .session)
    return switch invocation.arguments[0] {
    case "bash": CommandOutput(text: script.bash)
    case "zsh": CommandOutput(text: script.zsh)
    case "fish": CommandOutput(text: script.fish)
    case "accounts": CommandOutput(text: try AccountBook(io).all().map { $0.name + "\n" }.joined())
    case "people": try await invocation.names(in: .contacts, io)
    case "groups": try await invocation.names(in: .groups, io)
    case "chats": try await invocation.names(in: .conversations, io)
    default:
      throw invocation.misuse(
        "'\(invocation.arguments[0])' is not bash, zsh, fish, accounts, people, groups or chats")
    }
  }
}

extension Invocation {
  /// The names for completion, without prompting for a passphrase.
  fileprivate func names(in scope: Directory.Scope, _ io: CommandIO) async throws -> CommandOutput {
    var io = io
    io.askSecret = { _ in nil }
    return try await reading(io) { messenger in
      CommandOutput(
        text: try await Directory(of: messenger).completions(in: scope).map { $0 + "\n" }.joined())
    }
  }
}
