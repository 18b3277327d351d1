public import SessionCore

extension Messenger {
  /// Sends a text: it is written down as being sent when this returns, and an event tells what becomes of it. Whoever
  /// writes to somebody accepts them, and has read what is there.
  @discardableResult
  public nonisolated func send(_ text: OutgoingText, to recipient: SessionID) async throws -> MessageView.ID {
    try await engine.send(text, to: recipient)
  }

  @discardableResult
  public nonisolated func send(_ body: String, to recipient: SessionID) async throws -> MessageView.ID {
    try await engine.send(OutgoingText(body), to: recipient)
  }

  /// Sends a message again that failed.
  public nonisolated func resend(_ id: MessageView.ID) async throws { try await engine.resend(id) }

  /// Deletes a message. One that is still to be sent is not.
  public nonisolated func delete(_ id: MessageView.ID, _ deletion: Deletion = .here) async throws {
    try await engine.delete(id, deletion)
  }

  /// Adds a reaction to a message.
  public nonisolated func react(_ emoji: String, to id: MessageView.ID) async throws {
    try await engine.react(.react, emoji, to: id)
  }

  /// Removes a reaction from a message.
  public nonisolated func unreact(_ emoji: String, to id: MessageView.ID) async throws {
    try await engine.react(.remove, emoji, to: id)
  }

  /// Notes that a key was touched in a message that is being written, or that nobody writes it any more. If
  /// ``setTypingIndicators(_:)`` allows it the other side is told when that begins, every ten seconds while it goes on, and
  /// when for three seconds nothing was noted. Whoever sends the message need not say that it is written.
  public nonisolated func setTyping(_ isTyping: Bool, in conversation: SessionID) async throws {
    try await engine.setTyping(isTyping, in: conversation)
  }
}
