import SessionCore
import SessionStorage

extension Messenger {
  /// Returns the tags in their order, with the conversations that have them.
  public nonisolated func tags() async throws -> [Tag] {
    try await context.database.read { transaction in
      let uses = Dictionary(grouping: try transaction.tagUses(), by: \.tag)
      return try transaction.tags().map { tag in
        Tag(
          name: tag.name, emoji: tag.emoji,
          conversations: (uses[tag.id] ?? []).compactMap { Conversation.ID($0.address) })
      }
    }
  }

  /// Gives tags to a conversation; tags that are new are made. Throws `invalidName` for a text that cannot name a tag, and
  /// `notAllowed` beyond 64 tags, or 16 of a conversation.
  public nonisolated func addTags(_ names: [String], to conversation: Conversation.ID) async throws {
    try await perform(.tag(.add(names, to: conversation)))
  }

  /// Takes tags from a conversation. Throws `notAllowed` for a tag that it does not have.
  public nonisolated func removeTags(_ names: [String], from conversation: Conversation.ID) async throws {
    try await perform(.tag(.remove(names, from: conversation)))
  }

  /// Gives a tag another name, and an emoji where one is given; an empty text takes the emoji away. Throws `notAllowed` if
  /// there is no such tag, or another one has the name.
  public nonisolated func renameTag(_ name: String, to other: String, emoji: String? = nil) async throws {
    try await perform(.tag(.rename(name, to: other, emoji: emoji)))
  }

  /// Deletes a tag; its conversations stay. Throws `notAllowed` if there is none.
  public nonisolated func deleteTag(_ name: String) async throws {
    try await perform(.tag(.delete(name)))
  }

  /// Returns the conversations that have a tag of the user, or that a built-in name means. Throws `notAllowed` for a name
  /// that no tag has.
  public nonisolated func conversations(tagged name: String) async throws -> Set<Conversation.ID> {
    if let builtIn = Tag.BuiltIn(rawValue: name.lowercased()) { return try await conversations(builtIn) }
    let name = try TagName(name)
    return try await context.database.read { transaction in
      let tag = try transaction.knownTag(name)
      return Set(try transaction.addresses(tagged: tag.id).compactMap { Conversation.ID($0) })
    }
  }

  private nonisolated func conversations(_ builtIn: Tag.BuiltIn) async throws -> Set<Conversation.ID> {
    let all = try await conversations() + hiddenConversations() + requests()
    let now = try context.time().stored
    return Set(
      all.filter { view in
        switch builtIn {
        case .unread: view.unreadMessages > 0 || view.isMarkedUnread
        case .requests: view.isRequest
        case .groups: view.kind == .group
        case .rooms: view.kind == .community
        case .muted: (view.mutedUntil ?? 0) > now || view.notifying == .ofNothing
        }
      }.map(\.id))
  }
}

extension Messenger {
  nonisolated func carryOut(_ call: TagCall) async throws -> MessengerReply {
    switch call {
    case .add(let names, let conversation):
      let names = try names.map { name throws(MessengerError) in try TagName(name) }
      let address = try conversation.requireValid().address
      try await changeTags(of: conversation) { transaction in
        _ = try transaction.conversation(conversation)
        for name in names { try transaction.give(name, to: address) }
      }
    case .remove(let names, let conversation):
      let names = try names.map { name throws(MessengerError) in try TagName(name) }
      let address = try conversation.requireValid().address
      try await changeTags(of: conversation) { transaction in
        for name in names {
          guard try transaction.remove(transaction.knownTag(name).id, from: address) else {
            throw MessengerError(.notAllowed, "the conversation does not have the tag '\(name.text)'")
          }
        }
      }
    case .rename(let name, let other, let emoji):
      let (name, other) = (try TagName(name), try TagName(other))
      guard emoji.map({ $0.count <= 1 && $0.utf8.count <= 64 }) ?? true else {
        throw MessengerError(.invalidName, "the emoji of a tag is one character")
      }
      try await changeTags { transaction in
        var tag = try transaction.knownTag(name)
        if let taken = try transaction.tag(named: other.folded), taken.id != tag.id {
          throw MessengerError(.notAllowed, "there is a tag '\(taken.name)' already")
        }
        (tag.name, tag.searchName) = (other.text, other.folded)
        if let emoji { tag.emoji = emoji.isEmpty ? nil : emoji }
        try transaction.update(tag)
      }
    case .delete(let name):
      let name = try TagName(name)
      try await changeTags { transaction in try transaction.deleteTag(try transaction.knownTag(name).id) }
    }
    return .done
  }

  private nonisolated func changeTags(
    of conversation: Conversation.ID? = nil,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) async throws {
    try await context.write { transaction, now in
      try body(transaction)
      try transaction.tell(.tagChanged, MessengerEvent.Content(conversation: conversation), at: now)
    }
  }
}

extension Reading where Self: ~Copyable {
  /// Returns a tag. Throws `notAllowed` if there is none of this name.
  fileprivate func knownTag(_ name: TagName) throws -> TagRecord {
    guard let tag = try tag(named: name.folded) else {
      throw MessengerError(.notAllowed, "there is no tag '\(name.text)'")
    }
    return tag
  }
}

extension WriteTransaction {
  /// Gives a tag to a conversation, and makes it if it is new.
  fileprivate func give(_ name: TagName, to address: String) throws {
    let tag: TagRecord
    if let known = try self.tag(named: name.folded) {
      tag = known
    } else {
      guard try tags().count < TagRecord.limit else {
        throw MessengerError(.notAllowed, "there are \(TagRecord.limit) tags already")
      }
      tag = try insert(
        TagRecord(name.text, searchName: name.folded, position: try nextTagPosition()))
    }
    guard try add(tag.id, to: address) else { return }
    guard try tags(of: address).count <= TagRecord.limitOfConversation else {
      throw MessengerError(
        .notAllowed, "a conversation has up to \(TagRecord.limitOfConversation) tags")
    }
  }
}
