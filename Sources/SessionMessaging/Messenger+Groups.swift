public import SessionCore
import SessionStorage

extension Messenger {
  /// The groups that this device knows, in the order of the conversations; those that we are invited to, and those that
  /// have ended, too.
  public nonisolated func groups() async throws -> [GroupView] { try await list.groups() }

  /// A group; nil if this device knows none of this id.
  public nonisolated func group(_ id: Conversation.ID) async throws -> GroupView? {
    try await list.group(id.requireValid())
  }

  /// The members of a group, admins first, then by name. Throws `noConversation` for a group that this device does not
  /// know.
  public nonisolated func members(of group: Conversation.ID) async throws -> [GroupMemberView] {
    try await list.members(of: group.requireValid())
  }

  /// The nicknames or names of the members of a group, and of former members whose messages are still there; without
  /// those whose names are not known. Throws `noConversation` for a group that this device does not know.
  public nonisolated func names(in group: Conversation.ID) async throws -> [SessionID: String] {
    try await list.names(in: group.requireValid())
  }
}

// MARK: - Changing groups

extension Messenger {
  /// Creates a group, invites its members, and returns its conversation. It is stored in its swarm in the background:
  /// until then the group is ``GroupView/Standing/creating``, and messages to it wait. If the swarm refuses it, it
  /// disappears, and the event `groupFailed` has the reason.
  ///
  /// Throws `invalidName`, `invalidRecipient`, `blocked`, `groupFull` or `fileUnavailable`.
  public nonisolated func createGroup(_ draft: GroupDraft) async throws -> Conversation.ID {
    let picture = draft.picture.map(OutgoingFile.Content.bytes)
    var details = draft.details
    if draft.usesDefaultTimer, details.timerSeconds == 0 {
      details.timerSeconds =
        try await context.database.read { transaction in try transaction.defaultTimer() }?.seconds ?? 0
    }
    let reply = try await perform(.group(.create(details, members: draft.members, picture: picture)))
    guard case .conversation(let id) = reply else { throw MessengerError.unexpectedReply }
    return id
  }

  /// Invites people to a group; people who have not accepted yet are sent the invitation again. With
  /// `sharingHistory`, new members can read what was written before.
  ///
  /// Throws `notAdmin`, `alreadyMember`, `removalPending`, `groupFull`, `blocked` or `invalidRecipient`.
  public nonisolated func invite(
    _ people: [SessionID], to group: Conversation.ID, sharingHistory: Bool = false
  ) async throws {
    try await perform(.group(.invite(people, to: group, sharingHistory: sharingHistory)))
  }

  /// Makes members admins. This cannot be undone: they get the key of the group.
  ///
  /// Throws `notAdmin`, `notMember`, `isAdmin`, `removalPending`, or `notAllowed` for people who have not accepted
  /// their invitation.
  public nonisolated func promote(_ people: [SessionID], in group: Conversation.ID) async throws {
    try await perform(.group(.promote(people, in: group)))
  }

  /// Removes members, who cannot read what is written afterwards; with `deletingMessages`, also deletes what they wrote,
  /// for everyone.
  ///
  /// Throws `notAdmin`, `notMember`, `isAdmin` or `removalPending`.
  public nonisolated func remove(
    _ people: [SessionID], from group: Conversation.ID, deletingMessages: Bool = false
  ) async throws {
    try await perform(.group(.remove(people, from: group, deletingMessages: deletingMessages)))
  }

  /// Changes the name, description or timer of a group. Throws `notAdmin` or `invalidName`.
  ///
  ///     try await alice.update(group) { $0.name = "Trip" }
  public nonisolated func update(
    _ group: Conversation.ID, _ describe: (inout GroupChange) throws -> Void
  ) async throws {
    var change = GroupChange()
    try describe(&change)
    try await perform(.group(.update(group, change)))
  }

  /// Sets the picture of a group, a PNG, JPEG, GIF or WebP image of up to 5 MB; nil removes it. Others see it once it is
  /// uploaded; the event `pictureFailed` reports a failure. Throws `notAdmin` or `fileUnavailable`.
  public nonisolated func setPicture(_ picture: [UInt8]?, of group: Conversation.ID) async throws {
    try await perform(.group(.setPicture(picture.map { .bytes($0) }, of: group)))
  }

  /// Returns the picture of a group; nil if none is stored here. Pictures are downloaded automatically.
  public nonisolated func picture(of group: Conversation.ID) async throws -> [UInt8]? {
    try await files.picture(ofGroup: group.requireGroup())
  }

  /// Deletes what was written in a group up to a time, in milliseconds since 1970, for everyone. Throws `notAdmin`.
  public nonisolated func clear(
    _ group: Conversation.ID, _ content: GroupContent, before time: Int64
  ) async throws {
    try await perform(.group(.clear(group, content, before: time)))
  }

  /// Leaves a group, and deletes its conversation on all our devices. A group that is still being created is given up.
  /// Throws `lastAdmin` for the only admin, and `lastMember` for the only member.
  public nonisolated func leave(_ group: Conversation.ID) async throws {
    try await perform(.group(.leave(group)))
  }

  /// Deletes a group for all members. Throws `notAdmin`.
  public nonisolated func deleteForEveryone(_ group: Conversation.ID) async throws {
    try await perform(.group(.deleteForEveryone(group)))
  }
}
