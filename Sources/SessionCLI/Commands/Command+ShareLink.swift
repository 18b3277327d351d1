import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let shareLink = Command(
    name: "share-link",
    summary: "print the link with which others join a room",
    discussion: """
      The link has the address of the room and the key of its server. Anybody who has it can join, if the server lets them.
      """,
    arguments: [
      .init(name: "ROOM", summary: "the address of a room, as 'session community list' shows it")
    ],
    options: [.account, .json],
    examples: [
      .init(
        line: "session share-link https://chat.example.org/lobby | session send alice",
        summary: "send the link of a room to a contact")
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let word = invocation.arguments[0]
    guard let id = try? Conversation.ID(parsing: word), case .room = id else {
      throw CommandFailure.usage(
        "'\(DisplayText.line(word))' is not the address of a room",
        advice: "'session community list' shows your rooms.")
    }
    return try await invocation.reading(io) { messenger in
      guard let link = try await messenger.link(of: id) else {
        throw CommandFailure(
          status: .noUser, message: "you are not in this room",
          advice: "'session community list' shows your rooms.")
      }
      guard !invocation.has("json") else {
        return CommandOutput(json: [
          "conversation": .string(id.description), "link": .string(link.description),
        ])
      }
      return CommandOutput(data: [.text(link.description)])
    }
  }
}
