import SessionBase
package import SessionCore

/// A call about a group.
package enum GroupCall: Codable, Hashable, Sendable {
  case create(GroupDetails, members: [SessionID], picture: OutgoingFile.Content?)
  case invite([SessionID], to: Conversation.ID, sharingHistory: Bool)
  case promote([SessionID], in: Conversation.ID)
  case remove([SessionID], from: Conversation.ID, deletingMessages: Bool)
  case update(Conversation.ID, GroupChange)
  case setPicture(OutgoingFile.Content?, of: Conversation.ID)
  case clear(Conversation.ID, GroupContent, before: Int64)
  case leave(Conversation.ID)
  case deleteForEveryone(Conversation.ID)
}

extension GroupCall {
  /// Creating again creates another group, inviting again notifies people again, and the rest fails the second time.
  var isRepeatable: Bool {
    switch self {
    case .update, .setPicture, .clear: true
    case .create, .invite, .promote, .remove, .leave, .deleteForEveryone: false
    }
  }
}

extension Messenger {
  nonisolated func carryOut(_ call: GroupCall) async throws -> MessengerReply {
    switch call {
    case .create(let details, let members, let picture):
      var draft = GroupDraft(name: details.name, members: members)
      draft.details = details
      draft.picture = try await Self.bytes(of: picture)
      return .conversation(.group(try await groups.create(draft)))
    case .invite(let people, let group, let sharingHistory):
      try await groups.invite(people, to: group.requireGroup(), sharingHistory: sharingHistory)
    case .promote(let people, let group): try await groups.promote(people, in: group.requireGroup())
    case .remove(let people, let group, let deletingMessages):
      try await groups.remove(people, from: group.requireGroup(), deletingMessages: deletingMessages)
    case .update(let group, let change): try await groups.update(group.requireGroup(), change)
    case .setPicture(let picture, let group):
      let group = try group.requireGroup()
      try await groups.setPicture(try await Self.bytes(of: picture), of: group)
    case .clear(let group, let content, let time):
      try await groups.clear(group.requireGroup(), content, before: time)
    case .leave(let group): try await groups.leave(group.requireGroup())
    case .deleteForEveryone(let group): try await groups.deleteForEveryone(group.requireGroup())
    }
    return .done
  }

  /// The bytes of a picture; nil for none.
  nonisolated static func bytes(of content: OutgoingFile.Content?) async throws -> [UInt8]? {
    switch content {
    case nil: return nil
    case .bytes(let bytes): return bytes
    case .path(let path):
      return try await WorkerQueue("session.picture").run {
        try SessionError.files { () throws(FileError) in
          try OpenFile(reading: path).readAll(upTo: Picture.maxBytes + 1)
        }
      }
    case .attachment: throw MessengerError(.fileUnavailable, "a picture is a file of its own")
    }
  }
}

extension Conversation.ID {
  /// Returns the id of a group. Throws `invalidRecipient` for other conversations.
  func requireGroup() throws(MessengerError) -> SessionID {
    guard case .group(let id) = self, isValid else {
      throw MessengerError(.invalidRecipient, "this is not a group")
    }
    return id
  }
}
