import SessionBase
import SessionCore
import SessionMessaging
import SessionTerminal

/// What a link opens in an account.
enum OpenedLink: Sendable {
  /// A conversation, with the text that the link wants to be sent, and what is to be said of it.
  case conversation(Conversation.ID, text: String, note: String?)
  /// A room that the account is not in.
  case room(CommunityLink)

  init(_ link: SessionLink, _ messenger: Messenger) async throws {
    switch link {
    case .person(let id, let text, let name):
      self = .conversation(
        .person(id), text: Self.safe(text ?? ""),
        note: "from a link" + (name.map { ", which calls this person \(Self.quoted($0))" } ?? ""))
    case .room(let link):
      let id = try? Conversation.ID(parsing: "\(link.server)/\(link.room.lowercased())")
      let joined = try await messenger.rooms().first { $0.id == id }
      self = joined.map { .conversation($0.id, text: "", note: nil) } ?? .room(link)
    case .conversation(let number):
      guard let view = try await messenger.conversation(numbered: number) else {
        throw CommandFailure(
          status: .noUser, message: "there is no conversation \(number) in this account",
          advice: "The link is of another account or device: --account names another one.")
      }
      self = .conversation(view.id, text: "", note: nil)
    }
  }

  /// The text of a link as it may be sent: without what could change a terminal.
  static func safe(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar == "\n" || scalar == "\t" || scalar.isSafeOnTerminal {
      kept.append(scalar)
    }
    return String(kept)
  }

  /// A name that a stranger chose.
  static func quoted(_ name: String) -> String {
    "\"\(DisplayText.fitted(DisplayText.line(name), to: 32))\""
  }

  /// What the link of a room says.
  static func lines(of link: CommunityLink) -> [String] {
    let plain = link.server.hasPrefix("http://") ? ["not protected by TLS"] : []
    return ["\(link.server)/\(link.room)", "key of the server \(link.serverKey.hex)"] + plain
  }

  /// What the server says of a room, or that it says nothing.
  static func details(
    of link: CommunityLink, _ messenger: Messenger, within time: Duration
  ) async -> [String] {
    let offered = try? await withinTime(time) { try await messenger.rooms(on: link.description) }
    guard let rooms = offered else { return ["the server does not reply"] }
    let room = rooms.first { room in
      (try? CommunityLink(parsing: room.link))?.room.lowercased() == link.room.lowercased()
    }
    guard let room else { return ["the server does not list this room"] }
    let about = room.description.map { [DisplayText.line($0)] } ?? []
    return ["\(quoted(room.name)), \(room.userCount) members"] + about.filter { !$0.isEmpty }
  }
}
