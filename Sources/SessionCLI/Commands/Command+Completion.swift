extension Command {
  static let completion = Command(
    name: "completion",
    summary: "write what a shell needs to complete commands",
    discussion: """
      'make install' puts the scripts where the shells find them. Without it, bash and zsh read them with
      source, and fish as below.
      """,
    arguments: [.init(name: "bash|zsh|fish", summary: "the shell")],
    examples: [
      .init(line: "source <(session completion bash)", summary: "for this shell; in ~/.bashrc, for all"),
      .init(line: "session completion fish > ~/.config/fish/completions/session.fish", summary: "for fish"),
    ],
    needsSettings: false
  ) { invocation, _ in
    let script = CompletionScript(table: .session)
    return switch invocation.arguments[0] {
    case "bash": CommandOutput(text: script.bash)
    case "zsh": CommandOutput(text: script.zsh)
    case "fish": CommandOutput(text: script.fish)
    default: throw invocation.misuse("there are scripts for bash, zsh and fish")
    }
  }
}
