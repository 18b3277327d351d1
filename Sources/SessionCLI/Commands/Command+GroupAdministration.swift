import SessionCore
import SessionDaemon
import SessionMessaging

// Commands that change a group.

extension Command {
  static let groupCreate = Command(
    name: "group create",
    summary: "create a group and invite its members",
    discussion: """
      Up to 100 members, including you. Members are invited with messages: contacts who accepted you join at once, and
      strangers get a request. The group gets its id at once; messages that you send before the network has it wait.
      """,
    arguments: [
      .init(name: "NAME", summary: "the name of the group"),
      .init(
        name: "MEMBER", summary: "a nickname, account id or name of an accepted contact", isOptional: true,
        isRepeated: true),
    ],
    options: [
      .init(name: "description", value: "TEXT", summary: "what the group is about"),
      .init(name: "picture", value: "FILE", summary: "a PNG, JPEG, GIF or WebP image of up to 5 MB"),
      .init(name: "timer", value: "TIME", summary: "when messages disappear after sending, such as 1d"),
      .init(name: "no-default-timer", summary: "create it without the default timer"),
      .json, .timeout, .account,
    ],
    examples: [
      .init(line: "session group create Trip alice bob", summary: "create a group with Alice and Bob"),
      .init(
        line: "session group create Alerts --json | jq -r .conversation",
        summary: "create a group without other members and print its id"),
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    var draft = GroupDraft(name: invocation.arguments[0])
    draft.details.description = invocation["description"] ?? ""
    draft.usesDefaultTimer = !invocation.has("no-default-timer")
    if let text = invocation["timer"] { draft.details.timerSeconds = try invocation.timerSeconds(text) }
    draft.picture = try invocation["picture"].map { path throws(CommandFailure) in try io.picture(from: path)
    }
    let filled = draft
    return try await invocation.changing(io, showing: "creating the group") { messenger in
      var draft = filled
      let directory = try await Directory(of: messenger)
      draft.members = try invocation.arguments.dropFirst().map { word throws(CommandFailure) in
        try directory.person(word, io)
      }
      let id = try await messenger.createGroup(draft)
      guard invocation.has("json") else { return CommandOutput(data: [.text(id.description)]) }
      guard let group = try await messenger.group(id) else { return CommandOutput() }
      return CommandOutput(json: group.json)
    }
  }

  static let groupInvite = members(
    "group invite", "invite people to a group, or send their invitations again",
    """
    Only admins invite. People who have not accepted yet get their invitation again. New members read what is written
    from now on; with --with-history also what was written in the last two weeks.
    """,
    of: .contact, showing: "inviting members",
    option: .init(name: "with-history", summary: "let new members read earlier messages")
  ) { messenger, people, group, hasOption in
    try await messenger.invite(people, to: group, sharingHistory: hasOption)
  }

  static let groupPromote = members(
    "group promote", "make members of a group admins",
    """
    This cannot be undone: admins hold the key of the group, and cannot be removed. A member who has not accepted the
    promotion yet gets it again.
    """,
    of: .member, showing: "promoting members"
  ) { messenger, people, group, _ in
    try await messenger.promote(people, in: group)
  }

  static let groupRemove = members(
    "group remove", "remove members from a group",
    """
    They cannot read anything written afterwards, and their own apps delete what they have. The swarm of a group remembers
    the last 50 removals: members removed before those can fetch encrypted messages again, but not decrypt them.
    """,
    of: .member, showing: "removing members",
    option: .init(name: "with-messages", summary: "also delete what they wrote, for everyone")
  ) { messenger, people, group, hasOption in
    try await messenger.remove(people, from: group, deletingMessages: hasOption)
  }

  static let groupRename = detail(
    "group rename", "rename a group", .init(name: "NAME", summary: "the new name")
  ) {
    $0.name = $1
  }

  static let groupDescribe = detail(
    "group describe", "change the description of a group",
    .init(
      name: "TEXT", summary: "the new description; without it, the current one is deleted", isOptional: true)
  ) { $0.description = $1 }

  static let groupPicture = Command(
    name: "group picture",
    summary: "change the picture of a group",
    arguments: [
      .group,
      .init(
        name: "FILE|-",
        summary: "a PNG, JPEG, GIF or WebP image of up to 5 MB; without it, the current one is deleted",
        isOptional: true),
    ],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let picture = try invocation.arguments.dropFirst().first.map { path throws(CommandFailure) in
      try io.picture(from: path)
    }
    return try await invocation.changing(io) { messenger in
      let group = try await Directory(of: messenger).group(invocation.arguments[0], io)
      try await messenger.setPicture(picture, of: group)
      return CommandOutput()
    }
  }

  static let groupClear = Command(
    name: "group clear",
    summary: "delete earlier messages of a group for everyone",
    arguments: [.group],
    options: [
      .init(name: "files-only", summary: "delete only messages with files"),
      .init(name: "yes", summary: "confirm the deletion"), .timeout, .account,
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "this deletes what was written in the group up to now, for everyone", advice: "--yes deletes it.")
    }
    return try await invocation.changing(io) { messenger in
      let group = try await Directory(of: messenger).group(invocation.arguments[0], io)
      try await messenger.clear(
        group, invocation.has("files-only") ? .messagesWithFiles : .messages,
        before: Int64(clamping: io.now()))
      return CommandOutput()
    }
  }

  static let groupLeave = Command(
    name: "group leave",
    summary: "leave a group and delete its conversation on all of your devices",
    arguments: [.group],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.changing(io) { messenger in
      try await messenger.leave(try await Directory(of: messenger).group(invocation.arguments[0], io))
      return CommandOutput()
    }
  }

  static let groupDelete = Command(
    name: "group delete",
    summary: "delete a group for everyone, or the rest of one that has ended",
    discussion: """
      Admins delete a group for all of its members, which cannot be undone. A group that removed you, or that was deleted,
      is only deleted from your list.
      """,
    arguments: [.group],
    options: [.init(name: "yes", summary: "confirm the deletion"), .timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.changing(io) { messenger in
      let id = try await Directory(of: messenger).group(invocation.arguments[0], io)
      if let group = try await messenger.group(id), [.kicked, .destroyed].contains(group.standing) {
        try await messenger.deleteConversation(id)
        return CommandOutput()
      }
      guard invocation.has("yes") else {
        throw CommandFailure.usage(
          "this deletes the group and its messages for all members",
          advice: "'session group leave' leaves it; --yes deletes it.")
      }
      try await messenger.deleteForEveryone(id)
      return CommandOutput()
    }
  }

  /// A command about several people in a group.
  private static func members(
    _ name: String, _ summary: String, _ discussion: String, of person: Argument, showing label: String,
    option: Option? = nil,
    _ act:
      @escaping @Sendable (Messenger, [SessionID], Conversation.ID, _ hasOption: Bool) async throws -> Void
  ) -> Command {
    Command(
      name: name, summary: summary, discussion: discussion,
      arguments: [.group, .init(name: "MEMBER", summary: person.summary, isRepeated: true)],
      options: [option].compactMap(\.self) + [.timeout, .account],
      rpc: .method(.manage)
    ) { invocation, io in
      try await invocation.changing(io, showing: label) { messenger in
        let group = try await Directory(of: messenger).group(invocation.arguments[0], io)
        let directory = try await Directory(of: messenger, showing: [group])
        let people = try invocation.arguments.dropFirst().map { word throws(CommandFailure) in
          try directory.person(word, io)
        }
        try await act(messenger, people, group, option.map { invocation.has($0.name) } ?? false)
        return CommandOutput()
      }
    }
  }

  /// A command that changes one detail of a group.
  private static func detail(
    _ name: String, _ summary: String, _ argument: Argument,
    _ change: @escaping @Sendable (inout GroupChange, String) -> Void
  ) -> Command {
    Command(
      name: name, summary: summary, arguments: [.group, argument], options: [.timeout, .account],
      rpc: .method(.manage)
    ) { invocation, io in
      let text = invocation.arguments.count > 1 ? invocation.arguments[1] : ""
      return try await invocation.changing(io) { messenger in
        let group = try await Directory(of: messenger).group(invocation.arguments[0], io)
        try await messenger.update(group) { change(&$0, text) }
        return CommandOutput()
      }
    }
  }
}

extension Command.Argument {
  fileprivate static let member = Self(
    name: "MEMBER", summary: "an account id, as 'session group members' shows it, or the name of a contact")
}
