import SessionBase
import SessionMessaging

/// The terminal of a chat, and what is typed there.
struct ChatSeat: Sendable {
  let terminal: any ChatTerminal
  let isEdited: Bool
  let inputs: LastingInputs

  /// Runs a chat, and leaves the terminal as it was, also where no program can continue the chat.
  static func leaving(
    _ seats: Kept<ChatSeat>, _ chat: () async throws -> CommandOutput
  ) async throws -> CommandOutput {
    try await doing(chat) { _ = await seats.value?.terminal.close() }
  }

  init(_ io: CommandIO, isJSON: Bool) async throws {
    let edited = isJSON ? nil : try await EditedChat(io)
    terminal = try edited ?? PipedChat(io)
    isEdited = edited != nil
    inputs = LastingInputs(terminal.inputs)
  }
}

extension Draft {
  /// What a person has to know who sends only its text; nil if it has no files.
  var noteOfFiles: String? {
    guard !attachments.isEmpty else { return nil }
    let files = attachments.count == 1 ? "a file, which stays" : "\(attachments.count) files, which stay"
    return "The draft has \(files) in it: 'session send --draft' sends it whole."
  }
}

extension Messenger {
  /// Keeps what was typed and not sent, also while the command is being ended.
  nonisolated func keepDraft(_ text: String, in conversation: Conversation.ID) async {
    let keeping = Task {
      let draft = try await self.conversation(conversation)?.draft
      guard draft ?? "" != text else { return }
      try await setDraft(text, in: conversation)
    }
    _ = await keeping.result
  }
}
