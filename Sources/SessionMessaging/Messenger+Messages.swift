public import SessionCore

extension Messenger {
  /// Sends a text: the message is stored when this returns, and an event reports its result. Sending also accepts the
  /// recipient and marks the conversation as read.
  @discardableResult
  public nonisolated func send(
    _ text: OutgoingText, to conversation: Conversation.ID
  ) async throws -> MessageView.ID {
    try await send(text, attachments: [], to: conversation)
  }

  @discardableResult
  public nonisolated func send(_ body: String, to conversation: Conversation.ID) async throws
    -> MessageView.ID
  {
    try await send(OutgoingText(body), to: conversation)
  }

  @discardableResult
  public nonisolated func send(_ text: OutgoingText, to person: SessionID) async throws -> MessageView.ID {
    try await send(text, to: .person(person))
  }

  @discardableResult
  public nonisolated func send(_ body: String, to person: SessionID) async throws -> MessageView.ID {
    try await send(OutgoingText(body), to: .person(person))
  }

  /// Sends a failed message again. A recipient who has changed since they were verified stops it, unless the sender was
  /// shown that change at the time given, in milliseconds since 1970.
  public nonisolated func resend(_ id: MessageView.ID, identityShownAt: Int64? = nil) async throws {
    try await perform(.message(.resend(id, identityShownAt: identityShownAt)))
  }

  /// Gives a message of ours in a room of a community another text. It changes when its server has taken that; until then
  /// ``MessageView/changeFailure`` says why not. Other clients may go on showing the first text.
  public nonisolated func edit(_ id: MessageView.ID, _ body: String) async throws {
    try await perform(.message(.edit(id, body)))
  }

  /// Deletes a message. A message that was not sent yet is cancelled.
  public nonisolated func delete(_ id: MessageView.ID, _ deletion: Deletion = .here) async throws {
    try await perform(.message(.delete(id, deletion)))
  }

  /// Adds a reaction to a message.
  public nonisolated func react(_ emoji: String, to id: MessageView.ID) async throws {
    try await perform(.message(.react(emoji, to: id)))
  }

  /// Removes a reaction from a message.
  public nonisolated func unreact(_ emoji: String, to id: MessageView.ID) async throws {
    try await perform(.message(.unreact(emoji, to: id)))
  }

  /// Reports a keystroke in a draft, or that typing stopped. If ``setTypingIndicators(_:)`` allows it, the other
  /// side gets a typing message at the start and every ten seconds. Typing ends three seconds after the last
  /// keystroke, and when the message is sent. A program that reports keystrokes seldom, such as every ten seconds, says so:
  /// typing then ends after fifteen seconds.
  public nonisolated func setTyping(
    _ isTyping: Bool, in conversation: Conversation.ID, isReportedSeldom: Bool = false
  ) async throws {
    try await perform(
      .conversation(.setTyping(isTyping, conversation, isReportedSeldom: isReportedSeldom)))
  }
}
