/// The commands of `session`.
struct CommandTable: Sendable {
  let commands: [Command]

  static let session: CommandTable = CommandTable(commands: [
    .accountNew, .accountShow, .seal, .open, .messageWrite, .attachmentSeal, .attachmentOpen, .id,
    .inspectMessage, .inspectConfig, .inspectBt, .inspectID, .inspectQuic, .help, .version,
  ])

  /// The command that the first words call, and how many words that are.
  func command(calledBy words: some Collection<String>) -> Command? {
    commands.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
  }

  /// The commands whose first words are these.
  func commands(under words: some Collection<String>) -> [Command] {
    commands.filter { $0.words.starts(with: words) }
  }
}
