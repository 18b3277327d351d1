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
    return try await invocation.changing(io) { messenger in
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
      Deletes it on this device. With --for-everyone it is deleted for all participants: your own messages, and in groups
      that you administer all messages.
      """,
    arguments: [.message],
    options: [.init(name: "for-everyone", summary: "delete it for all participants"), .timeout, .account],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.messageNumber(at: 0)
    return try await invocation.changing(io) { messenger in
      try await messenger.delete(id, invocation.has("for-everyone") ? .forEveryone : .here)
      return CommandOutput()
    }
  }

  static let resend = Command(
    name: "resend",
    summary: "resend a failed message",
    arguments: [.message],
    options: [.timeout, .account],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.messageNumber(at: 0)
    return try await invocation.changing(io) { messenger in
      try await messenger.resend(id)
      return CommandOutput()
    }
  }
}
