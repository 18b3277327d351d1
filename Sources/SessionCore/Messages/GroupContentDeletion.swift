internal import CSessionCore

/// Asks the members to delete messages: those with certain hashes, and everything that certain members wrote up to
/// then.
public struct GroupContentDeletion: Hashable, Sendable {
  public let members: [SessionID]
  /// The hashes of the messages in the swarm.
  public let messageHashes: [String]

  /// Ids and hashes are signed without separators, so no hash may look like another id.
  public init(ofMembers members: [SessionID] = [], messageHashes: [String] = []) throws(SessionError) {
    self.members = members
    self.messageHashes = messageHashes
    try GroupUpdate.contentDeletion(self).check()
  }

  init(_ deletion: sc_group_deletion) {
    members = UnsafeBufferPointer(start: deletion.members, count: deletion.member_count).map { SessionID($0) }
    messageHashes = UnsafeBufferPointer(start: deletion.hashes, count: deletion.hash_count).map {
      $0.text ?? ""
    }
  }

  func core(in arena: CoreArena) -> sc_group_deletion {
    sc_group_deletion(
      members: arena.list(members.map(\.core)), member_count: members.count,
      hashes: arena.list(messageHashes.map { arena.text($0) }), hash_count: messageHashes.count)
  }
}
