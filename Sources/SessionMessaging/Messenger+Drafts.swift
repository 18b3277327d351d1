import SessionCore
import SessionStorage

extension Messenger {
  /// Returns the draft of a conversation; nil if it has none.
  public nonisolated func draft(of conversation: Conversation.ID) async throws -> Draft? {
    let conversation = try conversation.requireValid()
    return try await context.database.read { transaction in
      try transaction.draft(try transaction.conversation(conversation))
    }
  }

  /// Returns all drafts, the newest first.
  public nonisolated func drafts() async throws -> [Draft] {
    try await context.database.read { transaction in
      let threads = try transaction.threads(areVisible: true) + transaction.threads(areVisible: false)
      return try threads.compactMap { try transaction.draft($0) }.sorted {
        ($0.updatedAt, $0.conversation.description) > ($1.updatedAt, $1.conversation.description)
      }
    }
  }

  /// Changes the text of a draft, which keeps its files and the message that it replies to. An empty text deletes a
  /// draft without files.
  public nonisolated func setDraft(_ body: String, in conversation: Conversation.ID) async throws {
    try await perform(.conversation(.setDraft(body, conversation)))
  }

  /// Adds a text on a new line of the draft, which keeps its files and the message that it replies to. Throws `notAllowed`
  /// if the draft would become too long.
  public nonisolated func addToDraft(_ text: String, in conversation: Conversation.ID) async throws {
    try await perform(.conversation(.addToDraft(text, conversation)))
  }

  /// Replaces the draft of a conversation. Its files are copied, encrypted, before this returns, and released with the
  /// draft. A content without anything deletes it.
  public nonisolated func setDraft(_ content: DraftContent, in conversation: Conversation.ID) async throws {
    try await perform(.conversation(.replaceDraft(content, conversation)))
  }
}
