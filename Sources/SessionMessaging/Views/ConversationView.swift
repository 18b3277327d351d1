public import SessionCore
import SessionStorage

/// A conversation, for display in a list.
public struct ConversationView: Hashable, Sendable, Identifiable {
  /// The kind of conversation.
  public enum Kind: Hashable, Sendable {
    case noteToSelf
    case person
    case group
    case community
  }

  public let id: Conversation.ID
  /// Its number on this device, which links name it by.
  public let number: Int64
  public let kind: Kind
  /// The name to show: the nickname, the name, or the beginning and end of the id.
  public let name: String
  /// True if it is hidden until its next message.
  public let isHidden: Bool
  public let isPinned: Bool
  public let mutedUntil: Int64?
  /// Which messages notify.
  public let notifying: Notifying
  /// The sound of its notifications on this device.
  public let sound: NotificationSound
  public let isMarkedUnread: Bool
  public let unreadMessages: Int
  public let unreadMentions: Int
  /// The read position, in milliseconds since 1970.
  public let lastReadAt: Int64
  public let timer: DisappearingTimer?
  /// True for a message request, or an invitation to a group, that we have not accepted.
  public let isRequest: Bool
  public let isBlocked: Bool
  /// True if the other side has accepted us.
  public let isAccepted: Bool
  public let isTyping: Bool
  public let draft: String?
  /// The names of its tags, in their order.
  public let tags: [String]
  public let last: MessageView?
}

extension ConversationList {
  /// Returns the shown conversations in order, or the hidden ones, or the requests.
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

  func conversation(numbered number: Int64) async throws -> ConversationView? {
    let address = try await database.read { transaction in
      try transaction.thread(.init(rawValue: number))?.address
    }
    guard let id = address.flatMap({ Conversation.ID($0) }) else { return nil }
    return try await conversation(id)
  }

  /// Nil if the address does not match the kind of a conversation.
  private func view(
    of thread: ThreadRecord, _ unread: UnreadCount?, _ now: MessageTime,
    in transaction: borrowing ReadTransaction
  ) throws -> ConversationView? {
    guard let id = Conversation.ID(thread.address),
      let face = try face(of: id, thread, in: transaction)
    else { return nil }
    return ConversationView(
      id: id, number: thread.id.rawValue, kind: face.kind, name: face.name, isHidden: !thread.isVisible,
      isPinned: thread.priority > 0,
      mutedUntil: thread.mutedUntil, notifying: Notifying(thread.notifies),
      sound: thread.sound.flatMap { try? NotificationSound(parsing: $0) } ?? .usual,
      isMarkedUnread: thread.isMarkedUnread,
      unreadMessages: unread?.messages ?? 0, unreadMentions: unread?.mentions ?? 0,
      lastReadAt: thread.lastReadAt, timer: thread.expiry.timer, isRequest: face.isRequest,
      isBlocked: face.isBlocked, isAccepted: face.isAccepted, isTyping: face.isTyping,
      draft: try transaction.draft(of: thread.id)?.body,
      tags: try transaction.tags(of: thread.address).map(\.name),
      last: try transaction.visiblePage(of: thread, limit: 1, at: now).first)
  }

  /// The display properties of a conversation's participants.
  private struct Face {
    let kind: ConversationView.Kind
    let name: String
    var isRequest = false
    var isBlocked = false
    var isAccepted = true
    var isTyping = false
  }

  private func face(
    of id: Conversation.ID, _ thread: ThreadRecord, in transaction: borrowing ReadTransaction
  ) throws -> Face? {
    switch (id, thread.kind) {
    case (.person(let person), .contact):
      let contact = try transaction.contact(thread.address)
      let name = try transaction.profile(thread.address)?.shownName ?? person.short
      guard person != own else { return Face(kind: .noteToSelf, name: name) }
      return Face(
        kind: .person, name: name, isRequest: contact?.isApproved != true,
        isBlocked: contact?.isBlocked ?? false, isAccepted: contact?.didApproveMe ?? false,
        isTyping: typists.isTyping(person, now: jobTime))
    case (.group(let group), .group):
      let record = try transaction.group(thread.id)
      let name = record?.name ?? ""
      return Face(
        kind: .group, name: name.isEmpty ? group.short : name, isRequest: record?.isInvited ?? false)
    case (.room(let place), .community):
      return Face(kind: .community, name: try transaction.community(thread.id)?.name ?? place.room)
    default: return nil
    }
  }
}

extension Notifying {
  fileprivate init(_ notifies: ThreadRecord.Notifies) {
    self =
      switch notifies {
      case .all: .ofEverything
      case .mentions: .ofMentions
      case .nothing: .ofNothing
      }
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
