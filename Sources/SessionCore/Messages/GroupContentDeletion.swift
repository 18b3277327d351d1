internal import CSessionCore

/// Asks the members to delete messages: those with certain hashes, and all that certain members wrote until
/// then.
public struct GroupContentDeletion: Hashable, Sendable {
  public let members: [SessionID]
  /// What storage knows the messages by.
  public let messageHashes: [String]

  /// Ids and hashes are signed without anything between them, so no hash may read like another id.
  public init(ofMembers members: [SessionID] = [], messageHashes: [String] = []) throws(SessionError) {
    try MessageRule.deletionEmpty.require(!members.isEmpty || !messageHashes.isEmpty)
    try MessageRule.deletionMembers.require(members.allSatisfy { $0.kind == .standard })
    try MessageRule.deletionAmbiguous.require(!messageHashes.joined().beginsWithAccountID)
    self.members = members
    self.messageHashes = messageHashes
  }
}

extension GroupContentDeletion {
  init(_ fields: Sc__GroupUpdateDeleteMemberContentMessage) throws(SessionError) {
    let members = try texts(fields.member_session_ids, count: fields.n_member_session_ids)
    let accounts = members.accountIDs
    let isSigned = fields.has_admin_signature != 0
    try MessageRule.deletionMembers.require(!isSigned || accounts.count == members.count)
    try self.init(
      ofMembers: accounts,
      messageHashes: texts(fields.message_hashes, count: fields.n_message_hashes))
  }

  func write(
    to arena: ContentArena, signature: [UInt8]?
  ) -> UnsafeMutablePointer<Sc__GroupUpdateDeleteMemberContentMessage> {
    let fields = arena.make(sc__group_update_delete_member_content_message__init)
    fields.pointee.n_member_session_ids = members.count
    fields.pointee.member_session_ids = arena.list(members.map { arena.text($0.description) })
    fields.pointee.n_message_hashes = messageHashes.count
    fields.pointee.message_hashes = arena.list(messageHashes.map { arena.text($0) })
    if let signature {
      fields.pointee.has_admin_signature = 1
      fields.pointee.admin_signature = arena.data(signature)
    }
    return fields
  }
}

extension String {
  fileprivate var beginsWithAccountID: Bool {
    let start = utf8.prefix(Int(SC_ID_CHARS))
    return SessionID(String(decoding: start, as: UTF8.self))?.kind == .standard
  }
}
