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
}
