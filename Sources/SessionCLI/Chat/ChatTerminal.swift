/// The input and output of a chat.
protocol ChatTerminal: Sendable {
  /// The input, for one reader, which reads the next after processing one. It ends with the input.
  var inputs: AsyncStream<ChatInput> { get }

  /// Shows what happened in the chat; whole lines.
  func show(_ output: CommandOutput) throws
  /// Shows a line that is not part of the chat.
  func tell(_ line: String)
  /// Shows a status, such as that a person is typing.
  func setStatus(_ status: String)
  /// Puts a line back where it was typed, to be corrected; not where something is typed already. A text is sent as it is,
  /// though it begins like a command.
  func giveBack(_ line: String, isText: Bool)
  /// Leaves the terminal as it was. Returns what was typed and not sent.
  func close() async -> String
}

/// An input at a terminal.
enum ChatInput: Hashable, Sendable {
  case line(String)
  /// Pasted text, which is never a command.
  case text(String)
  /// A line, by its number from one, is longer than any message may be. Nothing comes behind it.
  case tooLong(line: Int)
  /// A line, by its number from one, is not UTF-8. Nothing comes behind it.
  case notText(line: Int)
  /// A message is being written, or not any more.
  case typing(Bool)
}
