extension Messenger {
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
