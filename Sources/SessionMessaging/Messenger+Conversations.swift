public import SessionCore
import SessionStorage

extension Messenger {
  /// Returns the listed conversations, in order.
  public nonisolated func conversations() async throws -> [ConversationView] {
    try await list.conversations(areRequests: false)
  }

  /// Returns the conversations hidden with ``setHidden(_:_:)``.
  public nonisolated func hiddenConversations() async throws -> [ConversationView] {
    try await list.conversations(areRequests: false, areHidden: true)
  }

  /// Returns the conversations of message requests that were neither accepted nor declined.
  public nonisolated func requests() async throws -> [ConversationView] {
    try await list.conversations(areRequests: true)
  }

  /// Returns a conversation; nil if there is none.
  public nonisolated func conversation(_ id: Conversation.ID) async throws -> ConversationView? {
    try await list.conversation(id.requireValid())
  }

  /// Returns the conversation with a number of this device; nil if there is none.
  public nonisolated func conversation(numbered number: Int64) async throws -> ConversationView? {
    try await list.conversation(numbered: number)
  }

  /// The number of messages in one page.
  public static let maxPage = 500

  /// Returns the newest messages of a conversation, or those right before a given one; newest first.
  public nonisolated func messages(
    in conversation: Conversation.ID, before id: MessageView.ID? = nil, limit: Int = 50
  ) async throws -> [MessageView] {
    let limit = min(max(limit, 0), Self.maxPage)
    let conversation = try conversation.requireValid()
    let now = try context.time()
    return try await context.database.read { transaction in
      let thread = try transaction.conversation(conversation)
      let place = try id.map { id in try transaction.message(id, in: conversation).0.place }
      return try transaction.visiblePage(of: thread, before: place ?? .end, limit: limit, at: now)
    }
  }

  /// Returns the messages of a conversation right after a given one; oldest first.
  public nonisolated func messages(
    in conversation: Conversation.ID, after id: MessageView.ID, limit: Int = 50
  ) async throws -> [MessageView] {
    let conversation = try conversation.requireValid()
    return try await page(of: conversation, limit: limit) { transaction in
      try transaction.message(id, in: conversation).0.place
    }
  }

  /// Returns the messages of a conversation right after a given one, or those that were sent from a time on, in
  /// milliseconds since 1970; oldest first.
  public nonisolated func messages(
    in conversation: Conversation.ID, after message: MessageView?, sentFrom time: Int64 = .min,
    limit: Int = 50
  ) async throws -> [MessageView] {
    let place = message.map { InteractionPlace(sentAt: $0.sentAt, id: $0.id.record) }
    return try await page(of: try conversation.requireValid(), limit: limit) { _ in
      place ?? InteractionPlace(sentAt: time, id: .init(rawValue: .min))
    }
  }

  private nonisolated func page(
    of conversation: Conversation.ID, limit: Int,
    after place: @escaping @Sendable (borrowing ReadTransaction) throws -> InteractionPlace
  ) async throws -> [MessageView] {
    let limit = min(max(limit, 0), Self.maxPage)
    let now = try context.time()
    return try await context.database.read { transaction in
      let thread = try transaction.conversation(conversation)
      return try transaction.visiblePage(of: thread, after: place(transaction), limit: limit, at: now)
    }
  }

  /// Returns a message; nil if there is none, or it has expired.
  public nonisolated func message(_ id: MessageView.ID) async throws -> MessageView? {
    try await messages([id]).values.first
  }

  /// The messages with these ids that exist and have not expired.
  public nonisolated func messages(_ ids: [MessageView.ID]) async throws -> [MessageView.ID: MessageView] {
    guard !ids.isEmpty else { return [:] }
    let now = try context.time()
    let views = try await context.database.read { transaction in try transaction.views(Set(ids), at: now) }
    return Dictionary(uniqueKeysWithValues: views.map { ($0.id, $0) })
  }

  /// Marks a conversation as read up to a message, or up to the newest one.
  public nonisolated func markRead(_ conversation: Conversation.ID, upTo id: MessageView.ID? = nil)
    async throws
  {
    try await perform(.conversation(.markRead(conversation, upTo: id)))
  }

  /// Marks several conversations as read up to their newest messages.
  public nonisolated func markRead(_ conversations: [Conversation.ID]) async throws {
    guard !conversations.isEmpty else { return }
    try await perform(.conversation(.markAllRead(conversations)))
  }

  public nonisolated func markUnread(_ conversation: Conversation.ID) async throws {
    try await perform(.conversation(.markUnread(conversation)))
  }

  /// Pins a conversation to the top, or unpins it.
  public nonisolated func setPinned(_ isPinned: Bool, _ conversation: Conversation.ID) async throws {
    try await perform(.conversation(.setPinned(isPinned, conversation)))
  }

  /// Hides a conversation from the list until its next message, or shows it again. Nothing is deleted.
  public nonisolated func setHidden(_ isHidden: Bool, _ conversation: Conversation.ID) async throws {
    try await perform(.conversation(.setHidden(isHidden, conversation)))
  }

  /// Mutes a conversation until a time, in milliseconds since 1970; nil unmutes it.
  public nonisolated func setMuted(until time: Int64?, _ conversation: Conversation.ID) async throws {
    try await perform(.conversation(.setMuted(until: time, conversation)))
  }

  /// Sets which messages of a conversation notify, on all own devices. Throws `notAllowed` for mentions alone in a
  /// conversation with one person.
  public nonisolated func setNotified(_ notifying: Notifying, _ conversation: Conversation.ID) async throws {
    try await perform(.conversation(.setNotified(notifying, conversation)))
  }

  /// Sets the sound of a conversation's notifications, on this device alone. Throws `fileUnavailable` for a file that cannot
  /// be played.
  public nonisolated func setSound(_ sound: NotificationSound, _ conversation: Conversation.ID) async throws {
    try await sound.checkFile()
    try await perform(.conversation(.setSound(sound, conversation)))
  }

  /// Sets the timer of messages that we send from now on; nil for off. The other side sets the timer of its own
  /// messages, and a note reports it. In a group an admin sets it for all members.
  public nonisolated func setTimer(_ timer: DisappearingTimer?, in conversation: Conversation.ID) async throws
  {
    try await perform(.conversation(.setTimer(timer, conversation)))
  }

  /// Deletes a conversation, its messages and the contact on all own devices. Throws `notAllowed` for a group that the
  /// account is still in.
  public nonisolated func deleteConversation(_ conversation: Conversation.ID) async throws {
    try await perform(.conversation(.delete(conversation)))
  }

  /// Searches messages that contain all words, the last of which may be incomplete; newest first. Messages of
  /// blocked people are found only in their own conversations.
  public nonisolated func search(
    _ words: String, in conversation: Conversation.ID? = nil, filter: MessageSearchFilter = .init(),
    after page: MessageSearchPage? = nil, limit: Int = 50
  ) async throws -> MessageSearchPage {
    let conversation = try conversation?.requireValid()
    let limit = min(max(limit, 1), Self.maxPage)
    let now = try context.time()
    return try await context.database.read { transaction in
      let thread = try conversation.map { id in try transaction.conversation(id).id }
      let threads = try filter.conversations.map { conversations in
        Set(try conversations.compactMap { try transaction.thread(at: $0.address)?.id })
      }
      var place = page?.place ?? filter.until.map { SearchPlace(before: $0) }
      var found: [InteractionRecord] = []
      while true {
        let page = try transaction.search(words, in: thread, before: place, limit: limit)
        for message in page.found {
          // The search returns the newest first.
          guard message.sentAt >= filter.since else {
            return MessageSearchPage(messages: try transaction.views(of: found, at: now), place: nil)
          }
          let isWanted = filter.author == nil || message.author == filter.author?.address
          if isWanted, threads?.contains(message.threadID) ?? true { found.append(message) }
          guard found.count < limit else {
            let next = try transaction.searchPlace(of: message.id)
            return MessageSearchPage(messages: try transaction.views(of: found, at: now), place: next)
          }
        }
        place = page.next
        guard place != nil else {
          return MessageSearchPage(messages: try transaction.views(of: found, at: now), place: nil)
        }
      }
    }
  }
}

/// Which of the messages with some words a search returns.
public struct MessageSearchFilter: Hashable, Sendable {
  /// The author; nil for anybody.
  public var author: SessionID?
  /// Milliseconds since 1970; earlier messages are left out.
  public var since = Int64.min
  /// Messages that were sent then or later are left out; nil for none.
  public var until: Int64?
  /// The conversations; nil for all.
  public var conversations: Set<Conversation.ID>?

  public init(author: SessionID? = nil, since: Int64 = .min, until: Int64? = nil) {
    self.author = author
    self.since = since
    self.until = until
  }
}

/// One page of search results.
public struct MessageSearchPage: Sendable {
  public let messages: [MessageView]
  let place: SearchPlace?

  /// The place of the next page, as a number that programs keep; nil if there is none.
  package var next: Int64? { place?.rawValue }

  /// The page before a place.
  package static func ending(at place: Int64) -> MessageSearchPage {
    MessageSearchPage(messages: [], place: SearchPlace(rawValue: place))
  }

  /// True if there are more results after this page.
  public var hasMore: Bool { place != nil }
}
