import SessionDaemon
import SessionMessaging

extension Command {
  static let react = Command(
    name: "react",
    summary: "add or remove a reaction",
    arguments: [.message, .init(name: "EMOJI", summary: "one emoji")],
    options: [.init(name: "remove", summary: "remove the reaction"), .timeout, .account],
    examples: [.init(line: "session react 12 👍", summary: "add a reaction to a message")],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.messageNumber(at: 0)
    return try await invocation.changing(id, io) { messenger in
      let emoji = invocation.arguments[1]
      if invocation.has("remove") {
        try await messenger.unreact(emoji, to: id)
      } else {
        try await messenger.react(emoji, to: id)
      }
      return CommandOutput()
    }
  }

  static let delete = Command(
    name: "delete",
    summary: "delete a message",
    discussion: """
      Deletes it on this device. With --for-everyone it is deleted for all participants: your own messages, and all messages
      in groups that you administer and rooms that you moderate.
      """,
    arguments: [.message],
    options: [.init(name: "for-everyone", summary: "delete it for all participants"), .timeout, .account],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.messageNumber(at: 0)
    return try await invocation.changing(id, io) { messenger in
      try await messenger.delete(id, invocation.has("for-everyone") ? .forEveryone : .here)
      return CommandOutput()
    }
  }

  static let edit = Command(
    name: "edit",
    summary: "change the text of one of your messages in a room",
    discussion: """
      Works only in the rooms of communities. Other clients may go on showing the first text. Files of the message stay.
      """,
    arguments: [
      .message,
      .init(
        name: "TEXT", summary: "the new text; read from standard input by default", isOptional: true,
        isRepeated: true),
    ],
    options: [.timeout, .account],
    examples: [.init(line: "session edit 12 See you at nine", summary: "change the text of a message")],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.messageNumber(at: 0)
    let text = try invocation.text(io, mayBeMissing: false)
    return try await invocation.changing(id, io) { messenger in
      try await messenger.edit(id, text)
      return CommandOutput()
    }
  }

  static let resend = Command(
    name: "resend",
    summary: "resend a failed message",
    arguments: [.message],
    options: [
      .init(
        name: "confirm-identity",
        summary: "send even if the recipient has changed since you compared numbers"),
      .timeout, .account,
    ],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.messageNumber(at: 0)
    let shownAt = invocation.has("confirm-identity") ? Int64(clamping: io.now()) : nil
    return try await invocation.changing(io) { messenger in
      try await confirmingIdentity { try await messenger.resend(id, identityShownAt: shownAt) }
      return CommandOutput()
    }
  }
}

/// Sends something. Where it is refused because its recipient has changed, the advice tells how to send it all the same.
func confirmingIdentity<Sent>(_ send: () async throws -> Sent) async throws -> Sent {
  do { return try await send() } catch let error as MessengerError {
    guard error.code == .identity else { throw error }
    var failure = CommandFailure(error)
    failure.advice = [failure.advice, "--confirm-identity sends this one message all the same."]
      .compactMap(\.self).joined(separator: "\n")
    failure.detail = .identity
    throw failure
  }
}

extension Invocation {
  /// Changes a message. In a room, its server may refuse that later.
  fileprivate func changing(
    _ id: MessageView.ID, _ io: CommandIO,
    _ change: @escaping @Sendable (Messenger) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    let output = try await changing(io, change)
    guard io.served == nil else { return output }
    let failure = try await reading(io) { messenger in try await messenger.message(id)?.changeFailure }
    guard let failure else { return output }
    throw CommandFailure(
      status: .unavailable, message: "the message was not changed: \(DisplayText.line(failure))")
  }
}
