import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let contactsList = Command(
    name: "contacts list",
    summary: "list contacts",
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let contacts = try await messenger.contacts()
      guard !invocation.has("json") else { return CommandOutput(lines: contacts.map(\.json)) }
      guard !contacts.isEmpty else { return CommandOutput(notes: ["No contacts."]) }
      var table = TextTable(head: ["name", "state", "id"])
      table.rows = contacts.map(\.row)
      return CommandOutput(data: table.parts)
    }
  }

  static let contactsNickname = Command(
    name: "contacts nickname",
    summary: "set or clear a nickname",
    arguments: [
      .contact, .init(name: "NICKNAME", summary: "the nickname; none clears it", isOptional: true),
    ],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let nickname = invocation.arguments.dropFirst().first
    if let nickname {
      guard !NameKey(nickname).isReserved, (try? SessionID(parsing: nickname)) == nil else {
        throw invocation.misuse(
          "'\(DisplayText.line(nickname))' cannot be a nickname: it already names another person")
      }
    }
    return try await invocation.changing(io) { messenger in
      let person = try await Directory(of: messenger).person(invocation.arguments[0], io)
      try await messenger.setNickname(nickname, of: person)
      return CommandOutput()
    }
  }

  static let contactsBlock = person("contacts block", "block a contact") {
    try await $0.block($1)
  }
  static let contactsUnblock = person("contacts unblock", "unblock a contact") {
    try await $0.unblock($1)
  }
  static let contactsDelete = person(
    "contacts delete", "delete a contact and the conversation on all of your devices"
  ) { try await $0.deleteConversation(.person($1)) }

  static let requestsList = Command(
    name: "requests list",
    summary: "list message requests and invitations to groups",
    discussion: """
      Senders choose their own names; only the id identifies them. 'requests accept', 'requests decline' and 'requests
      block' take the name of a request; other commands need the id. Answer an invitation to a group with 'group accept' or
      'group decline'.
      """,
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let requests = try await messenger.requests()
      let directory = try await Directory(of: messenger, showing: requests.map(\.id))
      guard !invocation.has("json") else { return CommandOutput(lines: requests.map { $0.json(directory) }) }
      guard !requests.isEmpty else { return CommandOutput(notes: ["No message requests."]) }
      let table = TextTable(
        head: ConversationView.requestColumns, rows: requests.map { $0.requestRow(directory) })
      return CommandOutput(data: table.parts)
    }
  }

  static let requestsAccept = person("requests accept", "accept a message request", .requests) {
    try await $0.acceptRequest(.person($1))
  }
  static let requestsDecline = person(
    "requests decline", "delete a message request; the sender is not notified and may write again", .requests
  ) { try await $0.declineRequest(.person($1)) }
  static let requestsBlock = person(
    "requests block", "delete a message request and block its sender", .requests
  ) { messenger, person in
    try await messenger.block(person)
    try await messenger.declineRequest(.person(person))
  }

  static let profileShow = Command(
    name: "profile show",
    summary: "show your profile",
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let (id, name) = (messenger.id.description, try await messenger.name())
      guard !invocation.has("json") else {
        return CommandOutput(json: ["id": .string(id), "name": .string(name)])
      }
      return CommandOutput(fields: [("id", .text(id)), ("name", .text(DisplayText.line(name)))])
    }
  }

  static let profileSet = Command(
    name: "profile set",
    summary: "change your profile",
    options: [
      .init(name: "name", value: "TEXT", summary: "your name", isRequired: true), .timeout, .account,
    ],
    examples: [
      .init(
        line: "session profile set --name Alice",
        summary: "change your name; contacts see it with your next message")
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.changing(io) { messenger in
      try await messenger.setName(invocation.required("name"))
      return CommandOutput()
    }
  }

  /// A command that does one thing about one person.
  private static func person(
    _ name: String, _ summary: String, _ scope: Directory.Scope = .contacts,
    _ act: @escaping @Sendable (Messenger, SessionID) async throws -> Void
  ) -> Command {
    Command(
      name: name, summary: summary, arguments: [scope == .contacts ? .contact : .request],
      options: [.timeout, .account],
      rpc: .method(.manage)
    ) { invocation, io in
      try await invocation.changing(io) { messenger in
        let person = try await Directory(of: messenger).person(invocation.arguments[0], io, in: scope)
        try await act(messenger, person)
        return CommandOutput()
      }
    }
  }
}

extension Command.Argument {
  static let contact = Self(
    name: "PERSON",
    summary: "a nickname, account id or name of an accepted contact; see 'session help names'")
  static let request = Self(
    name: "PERSON", summary: "an id, or the whole name of the sender, as 'session requests list' shows it")
}

extension ContactView {
  fileprivate var state: String {
    if isBlocked { return "blocked" }
    if !isApproved { return "asks" }
    if verification == .changed { return "no longer verified" }
    if verification == .verified { return "verified" }
    return hasApprovedUs ? "contact" : "asked"
  }

  fileprivate var row: [String] {
    var shown = DisplayText.line(name)
    if let nickname, !nickname.isEmpty {
      shown = DisplayText.line(nickname) + (name.isEmpty ? "" : " (\(shown))")
    }
    return [shown, state, id.description]
  }

  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("contact"), "id": .string(id.description), "name": .string(name),
      "approved": .boolean(isApproved), "approved_me": .boolean(hasApprovedUs),
      "blocked": .boolean(isBlocked), "downloads": .boolean(downloadsByItself),
      "verified": .string(verification.rawValue),
    ]
    object["nickname"] = nickname.map { .string($0) }
    return object
  }
}
