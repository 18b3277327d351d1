import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let groupList = Command(
    name: "group list",
    summary: "list groups",
    discussion: """
      Admins choose the names of their groups. Commands find a group that you have joined by its name, and one that you are
      only invited to by its id.
      """,
    options: [.account, .json],
    examples: [
      .init(
        line: "session group list --json | jq -r 'select(.admin) | .conversation'",
        summary: "print the ids of the groups where you are an admin")
    ],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let groups = try await messenger.groups()
      guard !invocation.has("json") else { return CommandOutput(lines: groups.map(\.json)) }
      guard !groups.isEmpty else { return CommandOutput(notes: ["No groups."]) }
      let directory = try await Directory(of: messenger)
      let table = TextTable(head: GroupView.columns, rows: groups.map { $0.row(directory) })
      return CommandOutput(data: table.parts)
    }
  }

  static let groupShow = Command(
    name: "group show",
    summary: "show a group",
    arguments: [.group],
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let id = try await Directory(of: messenger).group(invocation.arguments[0], io)
      guard let group = try await messenger.group(id) else {
        throw CommandFailure(
          status: .noUser, message: "the group is no longer here",
          advice: "'session group list' shows your groups.")
      }
      guard !invocation.has("json") else { return CommandOutput(json: group.json) }
      var output = CommandOutput(fields: group.fields(try await Directory(of: messenger, showing: [id])))
      output.notes = [group.stateLine].compactMap { $0 }
      return output
    }
  }

  static let groupMembers = Command(
    name: "group members",
    summary: "list the members of a group",
    discussion: """
      Admins come first. The state shows how far an invitation, a promotion or a removal has come. Members choose their own
      names; only the id identifies them.
      """,
    arguments: [.group],
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let id = try await Directory(of: messenger).group(invocation.arguments[0], io)
      let members = try await messenger.members(of: id)
      guard !invocation.has("json") else { return CommandOutput(lines: members.map { $0.json(id) }) }
      guard !members.isEmpty else { return CommandOutput(notes: ["The members are not known yet."]) }
      let directory = try await Directory(of: messenger, showing: [id])
      let table = TextTable(head: GroupMemberView.columns, rows: members.map { $0.row(directory) })
      return CommandOutput(data: table.parts)
    }
  }

  static let groupAccept = invitation("group accept", "join a group that invited you") {
    try await $0.acceptRequest($1)
  }
  static let groupDecline = invitation(
    "group decline", "delete an invitation to a group; the sender is not notified and may invite again"
  ) { try await $0.declineRequest($1) }

  /// A command that answers an invitation.
  private static func invitation(
    _ name: String, _ summary: String,
    _ answer: @escaping @Sendable (Messenger, Conversation.ID) async throws -> Void
  ) -> Command {
    Command(
      name: name, summary: summary, arguments: [.invitingGroup], options: [.timeout, .account],
      rpc: .method(.manage)
    ) { invocation, io in
      try await invocation.changing(io) { messenger in
        try await answer(messenger, try await Directory(of: messenger).group(invocation.arguments[0], io))
        return CommandOutput()
      }
    }
  }
}

extension Command.Argument {
  fileprivate static let invitingGroup = Self(
    name: "GROUP", summary: "the id of a group that invited you, as 'session requests list' shows it")
  static let group = Self(
    name: "GROUP", summary: "an id or the name of a joined group, as 'session group list' shows it")
}
