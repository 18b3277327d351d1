/// Where a chat is held: what the person does there, and what they are shown.
protocol ChatTerminal: Sendable {
  /// What the person does, for one reader, who asks for the next thing when the last one is done with. It ends with the
  /// input.
  var inputs: AsyncStream<ChatInput> { get }

  /// Shows what happened in the chat; whole lines.
  func show(_ output: CommandOutput) throws
  /// Shows a line that is not part of the chat.
  func tell(_ line: String)
  /// Shows what goes on now, such as that somebody types.
  func setStatus(_ status: String)
  /// Puts a line back where it was typed, to be corrected; not where something is typed already. A text is sent as it is,
  /// though it begins like a command.
  func giveBack(_ line: String, isText: Bool)
  /// Leaves the terminal as it was. Returns what was typed and not sent.
  func close() async -> String
}

/// What a person does at a terminal.
enum ChatInput: Hashable, Sendable {
  case line(String)
  /// What was pasted: no command, whatever it begins with.
  case text(String)
  /// A line, by its number from one, is longer than any message may be. Nothing comes behind it.
  case tooLong(line: Int)
  /// A line, by its number from one, is not UTF-8. Nothing comes behind it.
  case notText(line: Int)
  /// A message is being written, or not any more.
  case typing(Bool)
}
