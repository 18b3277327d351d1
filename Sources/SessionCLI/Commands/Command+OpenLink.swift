import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let openLink = Command(
    name: "open-link",
    summary: "open a session: link, or the link of a room, in the interface",
    discussion: """
      Desktops call it for links that begin with session:. It opens the person, the room or the conversation that the link
      names. The text of a link stands in the composer, marked as from a link, and is sent only by you; the name that a
      link gives a person is shown once and not kept. A room is joined only after a question. No link sends, accepts or
      changes anything, and none names a file.

      session:ID?text=TEXT&name=NAME, percent-encoded, names a person; session: with the percent-encoded link of a room
      that room, and session:?chat=NUMBER a conversation of this device, as 'session chats --json' numbers it. A link has
      4096 characters at most. --show prints its parts and opens nothing.
      """,
    arguments: [
      .init(name: "LINK", summary: "the link, in quotes; without one, the interface opens", isOptional: true)
    ],
    options: [
      .init(name: "show", summary: "print what the link says, and open nothing"),
      .init(name: "plain", summary: "append lines, for screen readers; /help lists the commands"),
      .timeout, .account, .json,
    ],
    examples: [
      .init(line: "session open-link 'session:05…?text=Hello'", summary: "begin a message to an id"),
      .init(line: "session open-link --show 'session:05…'", summary: "see what a link says"),
    ],
    rpc: .none(.isClient)
  ) { invocation, io in
    guard let text = invocation.arguments.first, !text.isEmpty else {
      guard !invocation.has("json"), !invocation.has("show") else {
        throw invocation.misuse("there is no link to show")
      }
      return try await invocation.showingInterface(io, opening: nil)
    }
    let link: SessionLink
    do throws(SessionError) {
      link = try SessionLink(parsing: text)
    } catch {
      throw CommandFailure.data(
        "'\(DisplayText.fitted(DisplayText.line(text), to: 60))' cannot be opened: \(error.message)",
        advice: "A link is session:ID, or the link of a room; 'session help open-link' shows the forms.")
    }
    guard !invocation.has("json") else { return CommandOutput(json: link.json) }
    guard !invocation.has("show") else { return CommandOutput(fields: link.fields) }
    return try await invocation.showingInterface(io, opening: link)
  }
}

extension SessionLink {
  /// For programs.
  fileprivate var json: JSONObject {
    var object: JSONObject = ["type": .string("opened-link")]
    switch self {
    case .person(let id, let text, let name):
      object["kind"] = .string("person")
      object["conversation"] = .string(id.description)
      object["text"] = text.map { .string($0) }
      object["name"] = name.map { .string($0) }
    case .room(let link):
      object["kind"] = .string("room")
      object["conversation"] = .string("\(link.server)/\(link.room.lowercased())")
      object["link"] = .string(link.description)
    case .conversation(let number):
      object["kind"] = .string("conversation")
      object["number"] = .integer(UInt64(clamping: number))
    }
    return object
  }

  /// For eyes.
  fileprivate var fields: [(label: String, value: CommandOutput.Part)] {
    switch self {
    case .person(let id, let text, let name):
      [("person", .text(id.description))]
        + (name.map { [("calls itself", .text(OpenedLink.quoted($0)))] } ?? [])
        + (text.map { [("text", .indented(DisplayText.lines($0)))] } ?? [])
    case .room(let link):
      [("room", .text("\(link.server)/\(link.room)")), ("server key", .text(link.serverKey.hex))]
    case .conversation(let number): [("conversation", .text("\(number) of this device"))]
    }
  }
}

extension JSONForm {
  static let openedLink = JSONForm(
    name: "opened link", summary: "what a link that opens the program says", commands: ["open-link"],
    members: [
      .type("opened-link"), .required("kind", .word(["person", "room", "conversation"]), "what it names"),
      .optional("conversation", .text, "the id of the person, or the address of the room"),
      .optional("text", .text, "the text that may be sent to the person"),
      .optional("name", .text, "what the link calls the person; anybody can write a link"),
      .optional("link", .text, "the link with which the room is joined"),
      .optional("number", .number, "the number of the conversation on this device"),
    ])
}
