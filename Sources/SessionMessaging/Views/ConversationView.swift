public import SessionCore
import SessionStorage

/// A conversation as it is listed.
public struct ConversationView: Hashable, Sendable, Identifiable {
  /// The kind of conversation.
  public enum Kind: Hashable, Sendable {
    case noteToSelf
    case person
    case group
    case community
  }

  public let id: Conversation.ID
  public let kind: Kind
  /// The name to show: the nickname, the name, or the beginning and end of the id.
  public let name: String
  /// True if it is hidden until its next message.
  public let isHidden: Bool
  public let isPinned: Bool
  public let mutedUntil: Int64?
  public let isMarkedUnread: Bool
  public let unreadMessages: Int
  public let unreadMentions: Int
  /// The read position, in milliseconds since 1970.
  public let lastReadAt: Int64
  public let timer: DisappearingTimer?
  /// True for a message request that was not accepted.
  public let isRequest: Bool
  public let isBlocked: Bool
  /// True if the other side has accepted us.
  public let isAccepted: Bool
  public let isTyping: Bool
  public let draft: String?
  public let last: MessageView?
}

extension ConversationList {
  /// All conversations that are shown, in their order, or those that are hidden; or the requests among them.
  func conversations(areRequests: Bool, areHidden: Bool = false) async throws -> [ConversationView] {
    let now = try time()
    return try await database.read { [self] transaction in
      let unread = Dictionary(try transaction.unreadCounts(at: now.stored).map { ($0.thread, $0) }) {
        first, _ in first
      }
      var views: [ConversationView] = []
      for thread in try transaction.threads(areVisible: !areHidden) {
        guard let view = try view(of: thread, unread[thread.id], now, in: transaction) else { continue }
        if view.isRequest == areRequests { views.append(view) }
      }
      return views
    }
  }

  func conversation(_ id: Conversation.ID) async throws -> ConversationView? {
    let now = try time()
    return try await database.read { [self] transaction in
      guard let thread = try transaction.thread(at: id.address) else { return nil }
      let unread = try transaction.unreadCounts(at: now.stored).first { $0.thread == thread.id }
      return try view(of: thread, unread, now, in: transaction)
    }
  }

  private func view(
    of thread: ThreadRecord, _ unread: UnreadCount?, _ now: MessageTime,
    in transaction: borrowing ReadTransaction
  ) throws -> ConversationView? {
    // Groups and rooms have no views yet.
    guard case .person(let person)? = Conversation.ID(thread.address), thread.kind == .contact else {
      return nil
    }
    let contact = try transaction.contact(thread.address)
    let profile = try transaction.profile(thread.address)
    let isOwn = person == own
    return ConversationView(
      id: .person(person), kind: isOwn ? .noteToSelf : .person,
      name: profile.flatMap(\.shownName) ?? person.short,
      isHidden: !thread.isVisible, isPinned: thread.priority > 0, mutedUntil: thread.mutedUntil,
      isMarkedUnread: thread.isMarkedUnread,
      unreadMessages: unread?.messages ?? 0, unreadMentions: unread?.mentions ?? 0,
      lastReadAt: thread.lastReadAt, timer: thread.expiry.timer,
      isRequest: !isOwn && contact?.isApproved != true, isBlocked: contact?.isBlocked ?? false,
      isAccepted: isOwn || contact?.didApproveMe ?? false, isTyping: typists.isTyping(person, now: jobTime),
      draft: try transaction.draft(of: thread.id)?.body,
      last: try transaction.visiblePage(of: thread, limit: 1, at: now).first)
  }
}

extension ProfileRecord {
  /// The name to show; nil for none.
  var shownName: String? {
    if let nickname, !nickname.isEmpty { return nickname }
    return name.isEmpty ? nil : name
  }
}

extension SessionID {
  /// The beginning and end of the id, for people.
  var short: String { "\(description.prefix(4))…\(description.suffix(4))" }
}
